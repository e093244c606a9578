import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID

/// An administrator onboards a user.
@Suite struct OnboardingTests {
    private static func request() -> EmbeddedFlowRequestConfig {
        EmbeddedFlowRequestConfig(applicationId: "", flowType: .userOnboarding)
    }

    /// A client whose session is an administrator's.
    private func administrator(_ fixture: ClientFixture) async throws -> ThunderIDClient {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: fixture.wire, time: fixture.clock.dates)
        let realm = "thunderid:\(fixture.server.application.clientID)@\(fixture.server.url.absoluteString)"
        let sessions = ProviderSessions(
            realm: realm, origin: .anyone(at: fixture.server.url.absoluteString), store: environment.store,
            time: environment.time
        ) { _ in throw CancellationError() }
        let now = fixture.clock.now
        try await sessions.begin(
            Credential(
                accessToken: fixture.server.administratorToken(), issuedAt: now, expiresAt: now + 3600, signedInAt: now,
                backend: fixture.server.url.absoluteString), for: AccountID(account: "default", realm: realm))
        let client = ThunderIDClient(environment: environment)
        try await client.initialize(config: fixture.config())
        return client
    }

    @Test("An administrator creates a user, who can sign in")
    func creates() async throws {
        let fixture = try await ClientFixture()
        let client = try await administrator(fixture)
        func go(
            _ step: EmbeddedFlowResponse, _ inputs: [String: String], action: String? = nil
        ) async throws -> EmbeddedFlowResponse {
            try await client.signIn(
                payload: .init(flowId: step.flowId, actionId: action ?? step.actions.first?.id, inputs: inputs),
                request: Self.request())
        }
        let unit = try await client.signIn(payload: .init(), request: Self.request())
        let root = try #require(unit.data?.additional("rootOuId"))
        let person = try await go(unit, ["ouId": root])
        let password = try await go(
            person, ["username": "grace", "email": "grace@example.org"], action: "action_create_user")
        let done = try await go(password, ["password": "Navy-1", "given_name": "Grace"])
        #expect(done.message == "Registration complete" && !done.establishesSession)
        let signedIn = try await fixture.signIn(nil, ["username": "grace", "password": "Navy-1"])
        #expect(signedIn.establishesSession)
        await fixture.server.stop()
    }

    @Test("No one else may")
    func refused() async throws {
        let fixture = try await ClientFixture()
        let step = try await fixture.client.signIn(payload: .init(), request: Self.request())
        #expect(step.flowStatus == .error && step.inputs.isEmpty, "\(step)")
        #expect(fixture.wire.requests(to: "/flow/execute").allSatisfy { $0.header("Authorization") == nil })
        await fixture.server.stop()
    }
}
