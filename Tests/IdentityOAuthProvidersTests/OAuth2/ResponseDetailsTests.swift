import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting
import Testing

/// Members of the token response that an app needs, which the setting `tokenResponse.details` names.
@Suite struct ResponseDetailsTests {
    private static func format(_ paths: String..., in memberPath: JSONValue = nil) -> [String: JSONValue] {
        ["tokenResponse": ["details": .array(paths.map(JSONValue.string)), "memberPath": memberPath]]
    }

    @Test("Texts, numbers, and true or false are kept by their paths; a refresh replaces those that it brings")
    func session() async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.vary(.ownerInTokens)
        fixture.server.vary(.extraTokenMembers)
        let provider = try await fixture.signedIn(
            Self.format(
                "owner.user.id", "owner.user", "not_before_policy", "example_parameter.nested.0",
                "example_parameter.nested.1", "absent"))
        let person = JSONValue.string(fixture.server.user.id)
        #expect(
            try await fixture.credential?.responseDetails
                == ["owner.user.id": person, "not_before_policy": 0, "example_parameter.nested.0": 1])
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.http.fail(
            .answer(
                .json([
                    "access_token": "second", "token_type": "Bearer", "expires_in": 3600, "absent": true,
                    "not_before_policy": 7.5, "owner": ["user": ["id": ["no": "text"]]],
                ])), pathPrefix: "/token")
        #expect(try await provider.accessToken(for: fixture.account, scopes: []).asToken() == "second")
        #expect(
            try await fixture.credential?.responseDetails == [
                "owner.user.id": person, "not_before_policy": 7.5, "example_parameter.nested.0": 1, "absent": true,
            ])
        await fixture.server.stop()
    }

    @Test("They are looked for around the tokens, too")
    func nested() async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.vary(.nestedTokens)
        fixture.server.vary(.extraTokenMembers)
        _ = try await fixture.signedIn(
            Self.format("ok", "authed_user.not_before_policy", "not_before_policy", in: "authed_user"))
        #expect(
            try await fixture.credential?.responseDetails == ["ok": true, "authed_user.not_before_policy": 0])
        await fixture.server.stop()
    }

    @Test("What a server sends is bounded, and takes the place of nothing that a session is checked by")
    func hostile() async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.http.fail(
            .answer(
                .json([
                    "access_token": .string("first"), "token_type": "Bearer", "expires_in": 3600,
                    "long": .string(String(repeating: "l", count: 1025)),
                    "longest": .string(String(repeating: "l", count: 1024)), "issuer": "https://evil.example",
                    "subject": "eve", "id": "ada",
                ])), pathPrefix: "/token")
        let provider = try await fixture.signedIn(
            Self.format("long", "longest", "issuer", "subject").merging(["account": ["identifier": "id"]]) { $1 })
        let ada = AccountID(account: "ada", realm: "plain")
        let credential = try #require(try await provider.sessions.storedCredential(of: ada))
        #expect(credential.responseDetails.keys.sorted() == ["issuer", "longest", "subject"])
        #expect(credential.details["issuer"] == nil && credential.details["subject"] != "eve")
        #expect(!"\(credential)".contains("evil.example"))
        await fixture.server.stop()
    }

    @Test(
        "A token cannot be a detail, wherever it is, and only paths of members can",
        arguments: [
            ["access_token"], ["instance_url", "authed_user.access_token"], ["refresh_token"], ["id_token"],
            ["id_token.payload"], ["device_secret"], [""], ["a..b"], [".a"], ["a."],
            [String(repeating: "p", count: 129)], (0...16).map { "member\($0)" },
        ])
    func mistakes(paths: [String]) {
        let error = #expect(throws: ConfigurationError.self) {
            try OAuth2Fixture.chain([
                "issuer": "https://id.example.com", "clientID": "app", "redirectURI": "com.example.app:/callback",
                "account": ["identifier": "id"],
                "tokenResponse": ["details": .array(paths.map(JSONValue.string))],
            ])
        }
        #expect(error?.message.hasPrefix("providers[0].settings.tokenResponse.details") == true, "\(error as Any)")
    }

    @Test("The types of other servers take it as well, and an OpenID Connect server's ID token is always read")
    func types() throws {
        func provider(_ plugin: any ProviderPlugin.Type, _ settings: JSONValue, _ format: JSONValue) throws {
            var settings = settings
            settings["clientID"] = "app"
            settings["redirectURI"] = "com.example.app:/callback"
            settings["tokenResponse"] = format
            _ = try ProviderRegistry([plugin]).makeChain(
                for: IdentityConfiguration(
                    providers: [ProviderConfiguration(name: "work", type: plugin.type, settings: settings)]),
                environment: IdentityEnvironment(store: MemoryTokenStore()))
        }
        let details: JSONValue = ["details": ["instance_url"]]
        try provider(OpenIDConnectPlugin.self, ["issuer": "https://id.example.com"], details)
        try provider(ProtectedResourcePlugin.self, ["resource": "https://api.example.com"], details)
        let error = #expect(throws: ConfigurationError.self) {
            try provider(
                OpenIDConnectPlugin.self, ["issuer": "https://id.example.com"], ["ignoresIDToken": true])
        }
        #expect(error?.message.hasPrefix("providers[0].settings.tokenResponse") == true)
    }

    @Test("An OpenID Connect session keeps them, at the sign-in and after a refresh")
    func openIDConnect() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.extraTokenMembers)
        let provider = try await fixture.signedIn {
            $0.tokenResponseFormat.details = ["not_before_policy", "access_token"]
        }
        for _ in 1...2 {
            let credential = try await provider.sessions.storedCredential(of: fixture.account)
            #expect(credential?.responseDetails == ["not_before_policy": 0])
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(fixture.server.counters.refreshes == 2)
        await fixture.server.stop()
    }
}
