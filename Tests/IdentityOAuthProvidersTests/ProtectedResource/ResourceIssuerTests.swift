import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

/// A resource and its authorization server that write the server's issuer in two ways, as Google's do.
@Suite struct ResourceIssuerTests {
    /// A resource that names its server with `named` at the end, where the server's own spelling ends with `own`.
    private func fixture(named: String, own: String) async throws -> ResourceFixture {
        let notes = try await ResourceFixture()
        if own == "/" { notes.server.misbehave(.issuerWithTrailingSlash) }
        let document: JSONValue = [
            "resource": .string(notes.server.resource.absoluteString),
            "authorization_servers": [.string(notes.server.issuer + named)], "scopes_supported": ["read"],
        ]
        notes.server.http.fail(.answer(.json(document)), pathPrefix: "/.well-known/oauth-protected-resource", times: 4)
        return notes
    }

    /// A browser whose responses name the issuer with `end` at its end.
    private func browser(of notes: ResourceFixture, naming end: String) -> ScriptedBrowser {
        ScriptedBrowser { [login = notes.fixture.login, issuer = notes.server.issuer] page in
            let response = try await login.signIn(at: page)
            var parts = try #require(URLComponents(url: response, resolvingAgainstBaseURL: true))
            let index = try #require(parts.queryItems?.firstIndex { $0.name == "iss" })
            parts.queryItems?[index].value = issuer + end
            return try #require(parts.url)
        }
    }

    static let spellings = [("/", ""), ("", "/"), ("/", "/"), ("", "")]

    @Test("The metadata's spelling is stored and expected, whichever the resource has", arguments: spellings)
    func ownSpelling(named: String, own: String) async throws {
        let notes = try await fixture(named: named, own: own)
        try await notes.client(browser: browser(of: notes, naming: own)).signIn()
        let issuer = try await notes.provider().sessions.storedCredential(of: notes.account)?.details["issuer"]
        #expect(issuer?.stringValue == notes.server.issuer + own)
        // Another start finds the same server, and the registration of the first one.
        notes.fixture.clock.advance(by: .seconds(3600))
        _ = try await notes.client().accessToken()
        #expect(notes.server.counters.registrations == 1)
        await notes.server.stop()
    }

    @Test("A response that names the server in the other way is refused (RFC 9207)", arguments: spellings)
    func otherSpelling(named: String, own: String) async throws {
        let notes = try await fixture(named: named, own: own)
        let browser = browser(of: notes, naming: own.isEmpty ? "/" : "")
        let error = await #expect(throws: (any Error).self) { try await notes.client(browser: browser).signIn() }
        #expect(error?.identityFailureCode == "callback_issuer_mismatch")
        #expect(try await notes.fixture.store.records(in: .accounts).records.isEmpty)
        await notes.server.stop()
    }

    @Test("A configured issuer is the metadata's, to the byte", arguments: spellings, ["", "/"])
    func configured(spelling: (named: String, own: String), end: String) async throws {
        let notes = try await fixture(named: spelling.named, own: spelling.own)
        let client = try notes.client(
            ["issuer": .string(notes.server.issuer + end)], browser: browser(of: notes, naming: spelling.own))
        if end == spelling.own {
            try await client.signIn()
        } else {
            let error = await #expect(throws: (any Error).self) { try await client.signIn() }
            #expect(error?.identityFailureCode == "metadata_issuer_mismatch")
        }
        await notes.server.stop()
    }
}
