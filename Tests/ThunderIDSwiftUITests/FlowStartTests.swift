import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID
import ThunderIDSwiftUI

/// A form before its first step: it shows that it waits, or says what is in the way, and goes on when that is gone.
@MainActor @Suite struct FlowStartTests {
    private let store = FaultyTokenStore()

    private func state(_ fixture: FlowFixture) -> ThunderIDState {
        ThunderIDState(
            client: ThunderIDClient(environment: IdentityEnvironment(store: store)), config: fixture.config)
    }

    @Test("A flow whose client is not set up yet waits, without a button that does nothing")
    func waits() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        let flow = SignInFlow(applicationId: fixture.server.application.id)
        #expect(flow.isStarting && flow.primaryAction == nil)
        await flow.start(below: state)
        #expect(flow.isStarting && flow.primaryAction == nil && flow.error == nil)
        await state.start()
        await flow.start(below: state)
        #expect(!flow.isStarting && flow.step != nil && flow.error == nil)
        await fixture.server.stop()
    }

    @Test("A locked device is told, and the button goes on once it is unlocked")
    func locked() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        store.fail(.read, with: TokenStoreError.locked(detail: "the device is locked."))
        store.fail(.list, with: TokenStoreError.locked(detail: "the device is locked."))
        await state.start()
        let flow = SignInFlow(applicationId: fixture.server.application.id)
        await flow.start(below: state)
        #expect(!state.isReady && flow.error == state.error && flow.error?.contains("locked") == true)
        #expect(flow.primaryAction == .tryAgain && !flow.isStarting)
        await flow.advance()
        #expect(flow.step == nil && flow.error?.contains("locked") == true && flow.primaryAction == .tryAgain)
        store.heal()
        await flow.advance()
        #expect(state.isReady && flow.step != nil && flow.error == nil)
        await fixture.server.stop()
    }

    @Test("An app that comes to the front again recovers by itself")
    func recovers() async throws {
        let fixture = try await FlowFixture()
        let state = state(fixture)
        store.fail(.read, with: TokenStoreError.locked(detail: "the device is locked."))
        store.fail(.list, with: TokenStoreError.locked(detail: "the device is locked."))
        await state.start()
        await state.recover()
        #expect(!state.isReady && state.error != nil)
        store.heal()
        await state.recover()
        #expect(state.isReady && state.error == nil)
        // Nothing is in the way any more.
        let reads = store.count(of: .read)
        await state.recover()
        #expect(store.count(of: .read) == reads)
        await fixture.server.stop()
    }

    @Test("A wrong configuration is told by the form, each time it is tried")
    func wrongConfiguration() async {
        let state = ThunderIDState(config: ThunderIDConfig(baseUrl: "http://id.example.com"))
        let flow = SignInFlow(applicationId: "app")
        await state.start()
        await flow.start(below: state)
        #expect(flow.error != nil && flow.error == state.error)
        await flow.advance()
        #expect(flow.error != nil && flow.primaryAction == .tryAgain && !flow.isLoading)
    }
}
