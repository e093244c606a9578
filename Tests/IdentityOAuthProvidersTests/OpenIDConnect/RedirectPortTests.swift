import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import Testing

/// A browser that comes back to a free port, and to the flow it was opened for (RFC 8252 section 7.3).
@Suite struct RedirectPortTests {
    /// Follows a login, and says what the provider waits for.
    private struct Listener: WebAuthenticator {
        let login: ScriptedLogin
        let requests: Locked<[WebAuthenticationRequest]>

        func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
            requests.withLock { $0.append(request) }
            return try await login.signIn(at: request.url)
        }

        func redirectURI(for registered: URL) async throws -> URL {
            try await ScriptedBrowser(port: 49_153) { $0 }.redirectURI(for: registered)
        }
    }

    @Test("The port of the browser is sent to the server, with the request and with the code")
    func port() async throws {
        let fixture = try await OpenIDFixture()
        let requests = Locked<[WebAuthenticationRequest]>([])
        let provider = fixture.provider(browser: Listener(login: fixture.login, requests: requests)) {
            $0.redirectURI = URL(string: "http://127.0.0.1/callback")
            $0.postLogoutRedirectURI = URL(string: "http://127.0.0.1/signed-out")
        }
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        let request = try #require(requests.withLock { $0.first })
        #expect(request.redirectURI.absoluteString == "http://127.0.0.1:49153/callback")
        let forged = try #require(URL(string: "http://127.0.0.1:49153/callback?code=c&state=x"))
        #expect(!request.isResponse(forged))
        await fixture.server.stop()
    }
}
