import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import Testing

/// The setting `replay`, from a configuration to what is sent.
@Suite struct ReplaySettingTests {
    private static let types: [(any ProviderPlugin.Type, JSONValue)] = [
        (OpenIDConnectPlugin.self, ["issuer": "https://id.example.com"]),
        (OAuth2Plugin.self, ["issuer": "https://id.example.com", "account": ["identifier": "id"]]),
        (ProtectedResourcePlugin.self, ["resource": "https://api.example.com"]),
    ]

    @Test(
        "Every type of OAuth servers takes it, and its absence means that nothing is known of the server",
        arguments: [
            (nil, .never), ("always", .always), (["window": 20], .window(.seconds(20))),
        ] as [(JSONValue, ReplayPolicy)])
    func types(value: JSONValue, expected: ReplayPolicy) throws {
        for (plugin, settings) in Self.types {
            var settings = settings
            settings["clientID"] = "app"
            settings["redirectURI"] = "com.example.app:/callback"
            settings["replay"] = value
            let chain = try ProviderRegistry([plugin]).makeChain(
                for: IdentityConfiguration(
                    providers: [ProviderConfiguration(name: "work", type: plugin.type, settings: settings)]),
                environment: IdentityEnvironment(store: MemoryTokenStore()))
            let provider = try #require(chain.links.first?.provider as? OAuthSessionProvider)
            #expect(provider.server.replay == expected, "\(plugin.type)")
        }
    }

    /// A server, what a configuration says of it, and what follows when one response is lost.
    struct Row: Sendable, CustomTestStringConvertible {
        let setting: JSONValue
        let rotates: Bool
        var grace = Duration.zero
        /// Whether the token is sent again while the access token works.
        let sendsAgain: Bool
        /// The failure once it does not; `nil` for a session that goes on.
        var end: String?

        var testDescription: String { "\(setting)" }
    }

    @Test(
        "It decides whether a token is sent again whose response was lost",
        arguments: [
            Row(setting: "always", rotates: false, sendsAgain: true),
            Row(setting: "parentAlways", rotates: true, grace: .seconds(30), sendsAgain: true),
            Row(setting: ["window": 30], rotates: true, grace: .seconds(30), sendsAgain: true),
            Row(setting: ["window": 10], rotates: false, sendsAgain: false),
            Row(setting: "never", rotates: false, sendsAgain: false),
            Row(setting: "never", rotates: true, sendsAgain: false, end: "session_ended"),
            Row(setting: "signInInstead", rotates: false, sendsAgain: false, end: "session_suspended"),
        ])
    func lostResponse(row: Row) async throws {
        let fixture = try await OAuth2Fixture {
            $0.rotatesRefreshTokens = row.rotates
            $0.rotationGrace = row.grace
        }
        let provider = try await fixture.signedIn(["replay": row.setting])
        fixture.clock.advance(by: .seconds(3550))
        fixture.server.http.fail(.dropAnswer, pathPrefix: "/token")
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.requests(to: "/token").count == 2)
        // Beyond every pause, within the window of 30 seconds, and past what is left of one of 10.
        fixture.clock.advance(by: .seconds(6))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.requests(to: "/token").count == (row.sendsAgain ? 3 : 2))
        fixture.clock.advance(by: .seconds(3600))
        let failure: String?
        do {
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
            failure = nil
        } catch {
            failure = error.identityFailureCode
        }
        #expect(failure == row.end)
        await fixture.server.stop()
    }
}
