import IdentityKit
import IdentityLocalServers
import Testing

/// What is told of a refresh that brings no tokens, to the caller who sent it and to those within its pause.
@Suite(.endsInTime) struct RefreshFaultTests {
    typealias Fault = RefreshFault

    static let faults = Fault.allCases.filter { ![.silence, .invalidGrant, .invalidToken].contains($0) }

    /// Whether trying again later may help, and whether a sign-in does.
    private func meaning(of fault: Fault) -> (class: FailureClass, asksForSignIn: Bool) {
        switch fault {
        case .interactionRequired, .loginRequired: (.definitive, true)
        case .invalidClient, .unauthorizedClient, .invalidScope, .hugeResponse: (.definitive, false)
        default: (.transient, false)
        }
    }

    @Test(
        "A response that nobody can read for a minute names the setting that would, and a page is only not now",
        arguments: [
            (LocalResponse.text("not json"), "answer_wrong_content_type", "tokenResponse.encoding"),
            (.json(["access": "t"]), "answer_missing_member", "tokenResponse.names"),
        ])
    func unreadable(response: LocalResponse, code: String, setting: String) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        func error(_ response: LocalResponse) async -> (any IdentityFailure)? {
            fixture.server.http.fail(.answer(response), pathPrefix: "/token")
            do {
                _ = try await provider.accessToken(for: fixture.account, scopes: [])
                return nil
            } catch {
                fixture.clock.advance(by: .seconds(60))
                return error as? any IdentityFailure
            }
        }
        #expect(await error(.html("<html></html>", status: 200))?.failureClass == .transient)
        let first = await error(response)
        #expect(first?.failureCode == code)
        #expect(first?.failureClass == .transient)
        let second = await error(response)
        #expect(second?.failureCode == "client_refused")
        #expect(second?.failureClass == .definitive)
        #expect(second?.message.contains(setting) == true)
        #expect(await error(.html("<html></html>", status: 200))?.failureClass == .transient)
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("It is the same for all, and only what asks for a sign-in speaks of one", arguments: faults)
    func told(fault: Fault) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.fail(fault, times: 2)
        let (expected, requests) = (meaning(of: fault), fixture.requests(to: "/token"))
        for call in ["the sender", "a caller within the pause"] {
            let error = await #expect(throws: (any Error).self) {
                try await provider.accessToken(for: fixture.account, scopes: [])
            }
            #expect(error?.identityFailureClass == expected.class, "\(call): \(String(describing: error))")
            #expect(error?.asksForSignIn == expected.asksForSignIn, "\(call)")
            let speaks = error?.localizedDescription.lowercased().contains("sign in")
            #expect(speaks == expected.asksForSignIn, "\(call): \(error?.localizedDescription ?? "")")
        }
        #expect(fixture.requests(to: "/token") > requests)
        await fixture.server.stop()
    }
}
