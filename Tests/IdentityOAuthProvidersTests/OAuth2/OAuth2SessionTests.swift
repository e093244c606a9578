import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth
import TestSupport
import Testing

@Suite struct OAuth2SessionTests {
    @Test("A configured server is a provider: sign-in, refresh, step-up and sign-out with revocation")
    func wholeSession() async throws {
        let fixture = try await OAuth2Fixture()
        let provider = try await fixture.signedIn()
        #expect(try await fixture.credential?.profile?.displayName == "Hello, ada.")
        #expect(try await fixture.credential?.idToken == nil)
        // No metadata is asked for where the endpoints are known.
        #expect(fixture.requests(to: "/.well-known/openid-configuration").isEmpty)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read"])
        #expect(fixture.server.counters.refreshes == 1)
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["write"], deviceToken: "d")
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read", "write"])
        try await provider.signOut(fixture.account)
        #expect(fixture.requests(to: "/revoke").count == 2)
        await fixture.server.stop()
    }

    @Test("Endpoints that are not given are found by the issuer (RFC 8414), and one that is given counts")
    func discovered() async throws {
        let fixture = try await OAuth2Fixture()
        fixture.server.vary(.onlyOAuthMetadata)
        _ = try await fixture.signedIn(["endpoints": nil])
        #expect(fixture.requests(to: "/.well-known/oauth-authorization-server").count == 1)
        fixture.server.misbehave(.missingTokenEndpoint)
        await #expect(throws: OAuthError.invalidMetadata(.missingEndpoint(member: "token_endpoint"))) {
            try await fixture.signedIn(["endpoints": nil])
        }
        _ = try await fixture.signedIn(["endpoints": ["token_endpoint": fixture.address("token")]])
        await fixture.server.stop()
    }

    @Test("A sign-in on another device")
    func device() async throws {
        let fixture = try await OAuth2Fixture()
        let login = fixture.login
        let shown = Locked<DeviceCode?>(nil)
        let time = TimeSource(
            now: { fixture.clock.now },
            sleep: { duration in
                fixture.clock.advance(by: duration)
                guard let code = shown.withLock({ $0 }) else { return }
                try await login.decideOnDevice(at: code.verificationURI, userCode: code.userCode)
            })
        let provider = try fixture.provider(
            [
                "signIn": "device", "redirectURI": nil, "resources": ["https://api.example.com/a"],
                "endpoints": [
                    "device_authorization_endpoint": fixture.address("device-authorization"),
                    "token_endpoint": fixture.address("token"),
                ],
            ], presenter: ShownCode { code in shown.withLock { $0 = code } }, time: time)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        let asked = fixture.requests(to: "/device-authorization").first
        #expect(asked?["resource"] == "https://api.example.com/a")
        #expect(asked?["scope"] == "read")
        await fixture.server.stop()
    }

    @Test("What is asked for beyond the scopes goes with the sign-in, and the resources with every token request")
    func options() async throws {
        let fixture = try await OAuth2Fixture()
        let provider = try await fixture.signedIn([
            "loginHint": "ada", "uiLocales": ["de", "en"], "acrValues": ["urn:mfa"], "maxAge": 300,
            "audience": "https://api.example.com", "resources": ["https://api.example.com/a"],
            "authorizationDetails": [["type": "payment", "amount": "1.00"]],
        ])
        let asked = try #require(fixture.requests(to: "/authorize").first)
        #expect(asked["login_hint"] == "ada")
        #expect(asked["ui_locales"] == "de en")
        #expect(asked["acr_values"] == "urn:mfa")
        #expect(asked["max_age"] == "300")
        #expect(asked["audience"] == "https://api.example.com")
        #expect(asked["resource"] == "https://api.example.com/a")
        #expect(asked["authorization_details"] == #"[{"amount":"1.00","type":"payment"}]"#)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        let sent = fixture.requests(to: "/token").map { $0["resource"] }
        #expect(sent == ["https://api.example.com/a", "https://api.example.com/a"])
        await fixture.server.stop()
    }

    @Test("Tokens are bound to a key where that is wanted, also at a server that takes pushed requests alone")
    func bound() async throws {
        let fixture = try await OAuth2Fixture {
            $0.clients = [.init(id: "app") { $0.requiresDPoP = true }]
            $0.requiresDPoPNonces = true
            $0.requiresPushedRequests = true
        }
        let settings: [String: JSONValue] = ["bindsTokens": true, "endpoints": nil]
        let provider = try await fixture.signedIn(settings)
        #expect(try await fixture.credential?.tokenType == "DPoP")
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }
}
