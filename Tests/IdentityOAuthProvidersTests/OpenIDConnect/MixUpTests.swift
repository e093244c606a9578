import Foundation
import IdentityKit
import IdentityTesting
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// A client of two servers, of which one belongs to an attacker (RFC 9700 section 4.4.1).
@Suite struct MixUpTests {
    /// A person signs in at the attacker's server, which sends the browser on to the honest one with the request as it is,
    /// and with the identifier that the client has there. What the client would send the code to is the attacker's.
    private func attack(
        redirectURI: String = OpenIDFixture.redirectURI, response: @escaping @Sendable (URL) throws -> URL = { $0 }
    ) async throws -> OAuthError? {
        let honest = try await OpenIDFixture()
        let attacker = try await OpenIDFixture {
            $0.clients = [.init(id: "id-at-attacker") { $0.redirectURIs.append(redirectURI) }]
        }
        let browser = ScriptedBrowser { page in
            var parts = try #require(URLComponents(url: page, resolvingAgainstBaseURL: true))
            let honestPage = try #require(URLComponents(string: honest.server.issuer))
            (parts.host, parts.port) = (honestPage.host, honestPage.port)
            parts.percentEncodedQuery = parts.percentEncodedQuery?
                .replacing("client_id=id-at-attacker", with: "client_id=\(honest.server.client.id)")
                .replacing(FormEncoding.encode(redirectURI), with: FormEncoding.encode(OpenIDFixture.redirectURI))
            return try await response(honest.login.signIn(at: #require(parts.url)))
        }
        let provider = attacker.provider(browser: browser) {
            $0.clientID = "id-at-attacker"
            $0.redirectURI = URL(string: redirectURI)
        }
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(honest.server.counters.codesIssued == 1)
        #expect(attacker.requests(to: "/token") == 0)
        #expect(try await attacker.pendingFlows == 0)
        await honest.server.stop()
        await attacker.server.stop()
        return error
    }

    @Test(
        "A code of the honest server is not sent to the attacker's, which the browser was sent to (RFC 9207)",
        .guards("mix-up by issuer"), arguments: ["", "/"])
    func issuer(end: String) async throws {
        let error = try await attack { response in
            var parts = try #require(URLComponents(url: response, resolvingAgainstBaseURL: true))
            let index = try #require(parts.queryItems?.firstIndex { $0.name == "iss" })
            parts.queryItems?[index].value?.append(end)
            return try #require(parts.url)
        }
        #expect(error?.failureCode == "callback_issuer_mismatch")
    }

    @Test(
        "Where the honest server does not name itself, the redirect URI of its own tells its response apart",
        .guards("mix-up by redirect URI"))
    func redirectURI() async throws {
        let error = try await attack(redirectURI: "com.example.app:/attacker") { response in
            var parts = try #require(URLComponents(url: response, resolvingAgainstBaseURL: true))
            parts.queryItems?.removeAll { $0.name == "iss" }
            return try #require(parts.url)
        }
        #expect(error?.failureCode == "callback_redirect_mismatch")
    }
}
