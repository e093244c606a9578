import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite struct ChainReportTests {
    @Test("C10: The error tells every attempt in order, those kept out too, with its reason and duration")
    func golden() async throws {
        let fixture = ChainFixture([
            .absent(.sessionEnded("The server no longer accepts it.")), .failure(TestError()), .account("ada"),
        ])
        let gap = EnvironmentTokenProvider(account: .ada("ci"), read: { _ in nil })
        let links =
            [IdentityProviderChain.Link("ci", gap), .init("plain", PlainProvider(account: nil))] + fixture.links
        let chain = try fixture.chain(links, override: .excluding("third"))
        let error = await #expect(throws: ChainError.self) {
            try await chain.silentAccount(scopes: [], deviceToken: "d")
        }
        #expect(
            error?.message == """
                The identity provider "second" failed, so no other was asked.
                  ci: not configured: SWIFT_IDENTITY_TOKEN is not set
                  plain: it may show a sign-in, so it is asked only when nobody has an account
                  first: the session has ended: The server no longer accepts it.
                  second: It was meant to fail.
                  third: excluded by the app
                """)
        #expect(error?.attempts.allSatisfy { $0.duration >= .zero } == true)
        #expect(error?.attempts.last?.description == "third: excluded by the app")
    }

    @Test("C11: Attempts are for debugging, a new choice is news, a failed walk is a warning, each told once")
    func levels() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .account("ada"), .failure(TestError())])
        let chain = try fixture.chain()
        _ = try await chain.silentAccount(scopes: [], deviceToken: "d")
        fixture.providers[1].setSilent(.absent(.signedOut))
        _ = try? await chain.silentAccount(scopes: [], deviceToken: "d")
        #expect(
            fixture.reported.withLock { $0.map(\.level) } == [
                .debug, .debug, .info,  // found
                .debug, .debug, .debug, .debug, .warning, .info,  // stale, walked anew, failed
            ])
        #expect(EventLevel.debug < .info && EventLevel.info < .warning)
    }

    @Test(
        "No secret shows in an error's text, whoever wrote it",
        arguments: [
            ("GET https://a.example/cb?code=SECRET failed", "GET https://a.example/cb?<redacted> failed"),
            ("at https://a.example/cb#access_token=SECRET", "at https://a.example/cb?<redacted>"),
            ("at https://ada:SECRET@a.example/x", "at https://<redacted>@a.example/x"),
            ("Bearer SECRET was refused", "Bearer <redacted> was refused"),
            ("bearer SECRET\nAuthorization: DPoP\tSECRET", "bearer <redacted>\nAuthorization: DPoP\t<redacted>"),
            ("grant_type=refresh_token&refresh_token=SECRET", "grant_type=refresh_token&refresh_token=<redacted>"),
            (#"{"code":"SECRET","iss":"https://a.example"}"#, #"{"code":<redacted>"#),
            ("{'code':'SECRET'}", "{'code':<redacted>"), ("password:\nSECRET", "password:\n<redacted>"),
            ("refresh_token=SECRET&resource=https://a.example", "refresh_token=<redacted>"),
            (#"{"token_type":"Bearer","code":"SECRET"}"#, #"{"token_type":"Bearer","code":<redacted>"#),
            ("refresh_token=SECRET", "refresh_token=<redacted>"), ("token:SECRET", "token:<redacted>"),
            ("got eyJhSECRET.eyJzSECRET.SECRET back", "got <redacted> back"),
            ("code: 5 at example.com", "code: 5 at example.com"),
        ])
    func scrubbed(text: String, expected: String) async throws {
        let provider = ScriptedProvider("first", silent: .failure(TestError(message: text)))
        let chain = try IdentityProviderChain([.init("first", provider)])
        let error = await #expect(throws: ChainError.self) {
            try await chain.silentAccount(scopes: [], deviceToken: "d")
        }
        #expect(error?.attempts.first?.description == "first: \(expected)")
    }
}
