import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

/// A server that does not know every scope that nobody chose.
@Suite struct DefaultScopesTests {
    private static let known = ["openid", "profile", "email"]

    /// What the page of a sign-in is asked for at a server that knows `known`.
    private func asked(
        _ known: [String], _ configure: (inout OpenIDConnectSettings) -> Void = { _ in }
    ) async throws -> (scope: String?, prompt: String?) {
        let fixture = try await OpenIDFixture { $0.scopes = known }
        let page = try await fixture.abandonedSignIn(configure)
        await fixture.server.stop()
        let fields = try #require(FormEncoding.decode(page.query ?? ""))
        return (fields["scope"], fields["prompt"])
    }

    @Test("The default scopes leave out offline_access where the server lacks it, with the consent that is for it")
    func unknown() async throws {
        let without = try await asked(Self.known)
        #expect(without.scope == "openid profile email" && without.prompt == nil)
        let with = try await asked(Self.known + ["offline_access"])
        #expect(with.scope == "openid profile email offline_access" && with.prompt == "consent")
    }

    @Test("Scopes that somebody chose are asked for as they are, also where they are the default ones")
    func chosen() async throws {
        #expect(try await asked(Self.known) { $0.scopes.append("read") }.scope?.contains("offline_access") == true)
        #expect(
            try await asked(Self.known) { $0.scopes = OpenIDConnectSettings.defaultScopes }.scope
                == "openid profile email offline_access")
    }

    @Test("A configuration chooses scopes by naming them")
    func configured() throws {
        for (scopes, optional) in [(nil, ["offline_access"]), (["openid", "offline_access"], [])]
            as [(JSONValue?, [String])]
        {
            var settings: [String: JSONValue] = [
                "issuer": "https://id.example.com", "clientID": "app", "redirectURI": "com.example.app:/callback",
            ]
            settings["scopes"] = scopes
            let read = try JSONDecoder().decode(
                OpenIDConnectSettings.self, from: JSONEncoder().encode(JSONValue.object(settings)))
            #expect(read.server.optionalScopes == Set(optional))
        }
    }

    @Test("A server that does not say which scopes it has is asked for all")
    func unsaid() async throws {
        let fixture = try await OpenIDFixture { $0.scopes = Self.known }
        let address = fixture.server.url.appendingPathComponent(".well-known/openid-configuration")
        let (document, _) = try await DefaultTransport.make().data(for: URLRequest(url: address))
        var members = try #require(try JSONValue(parsing: document).objectValue)
        members["scopes_supported"] = nil
        fixture.server.http.fail(.answer(.json(.object(members))), pathPrefix: "/.well-known/openid-configuration")
        let page = try await fixture.abandonedSignIn()
        let fields = try #require(FormEncoding.decode(page.query ?? ""))
        #expect(fields["scope"] == "openid profile email offline_access")
        await fixture.server.stop()
    }
}
