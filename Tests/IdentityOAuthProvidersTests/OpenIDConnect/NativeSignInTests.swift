import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityOAuth

/// A server that takes the token of a vendor whose keys it trusts, as one of Apple's from the device.
@Suite(.endsInTime) struct NativeSignInTests {
    private static let vendor = "https://appleid.apple.com"

    @Test(
        "The device's token is exchanged or asserted where it is of this sign-in, and no page is opened",
        .guards("nonce"), arguments: NativeTokenGrant.Method.allCases)
    func signIn(method: NativeTokenGrant.Method) async throws {
        let key = try SigningKey()
        let fixture = try await OpenIDFixture {
            $0.trustedIssuers = [
                .init(issuer: Self.vendor, keys: [.object(key.publicKey.members)], audience: "com.example.app")
            ]
        }
        let assertion = ClientAssertion(key: key, audience: "com.example.app", time: fixture.clock.dates)
        let (person, turns) = (fixture.server.user.id, Locked(0))
        let native = NativeSignIn(vendor: "apple") { nonce in
            let turn = turns.withLock { turns in
                turns += 1
                return turns
            }
            return NativeSignIn.Answer(
                token: try assertion.token(
                    clientID: Self.vendor, subject: person, claims: ["nonce": .string(turn == 1 ? "old" : nonce)]),
                user: "apple-user", profile: AccountProfile(displayName: "Told Once"))
        }
        var environment = IdentityEnvironment(
            store: fixture.store, webAuthenticator: ScriptedBrowser { _ in throw WebAuthenticationError.notStarted },
            time: fixture.clock.dates, variables: [:])
        environment.nativeSignIns = [native]
        let settings: JSONValue = [
            "issuer": .string(fixture.server.issuer), "clientID": .string(fixture.server.client.id),
            "redirectURI": .string(OpenIDFixture.redirectURI), "allowsLoopbackHTTP": true, "scopes": ["openid"],
            "nativeSignIn": "apple", "nativeGrant": .string(method.rawValue),
        ]
        let chain = try ProviderRegistry([OpenIDConnectPlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "work", type: "openid-connect", settings: settings)]),
            environment: environment)
        let provider = try #require(chain.links.first?.provider as? OAuthSessionProvider)

        // The token of an earlier sign-in is not even sent.
        await #expect(throws: OAuthError.invalidIDToken(.nonceMismatch)) {
            try await provider.signIn(scopes: [], deviceToken: "d")
        }
        #expect(!fixture.server.http.log.contains { $0.path == "/token" })
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        #expect(!fixture.server.http.log.contains { $0.path == "/authorize" })
        let credential = try #require(try await provider.sessions.storedCredential(of: fixture.account))
        #expect(credential.nativeGrant?.user == "apple-user")
        #expect(credential.profile?.displayName != nil)
        await fixture.server.stop()
    }
}
