import Foundation
import IdentityKit
import OpenIDConnect
import Testing

@Suite struct OpenIDConnectSettingsTests {
    private func chain(_ settings: JSONValue) throws -> IdentityProviderChain {
        try ProviderRegistry([OpenIDConnectPlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "any", type: "openid-connect", settings: settings)]),
            environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    private static func client(_ members: [String: JSONValue]) -> JSONValue {
        .object(
            ["issuer": "https://id.example.com", "clientID": "app", "signIn": "device"].merging(members) { $1 })
    }

    @Test(
        "Issuer, client and redirect are enough",
        arguments: [
            ["issuer": "https://id.example.com/", "clientID": "app", "redirectURI": "example://callback"],
            ["issuer": "https://id.example.com", "clientID": "app", "signIn": "device"],
            [
                "issuer": "http://127.0.0.1:9", "allowsLoopbackHTTP": true, "clientID": "app", "clientSecret": "s",
                "clientAuthentication": "client_secret_post", "redirectURI": "example://callback",
                "postLogoutRedirectURI": "example://bye", "scopes": ["openid", "mail"],
            ],
        ] as [JSONValue])
    func accepted(settings: JSONValue) throws {
        #expect(try chain(settings).realms == ["any"])
    }

    @Test(
        "What is wrong is named with its key path",
        arguments: [
            (["clientID": "app"], "providers[0].settings.issuer"),
            (["issuer": "http://id.example.com", "clientID": "app"], "providers[0].settings.issuer"),
            (["issuer": "https://id.example.com"], "providers[0].settings.clientID"),
            (["issuer": "https://id.example.com", "clientID": "app"], "providers[0].settings.redirectURI"),
            (
                ["issuer": "https://id.example.com", "clientID": "app", "signIn": "carrier pigeon"],
                "providers[0].settings.signIn"
            ),
            (
                [
                    "issuer": "https://id.example.com", "clientID": "app", "clientSecret": "s", "signIn": "device",
                    "clientAuthentication": "tls",
                ], "providers[0].settings.clientAuthentication"
            ),
            (client(["clientAuthentication": "client_secret_post"]), "providers[0].settings.clientSecret"),
            (client(["clientAuthentication": "private_key_jwt"]), "providers[0].settings.clientKey"),
            (
                client(["clientAuthentication": "private_key_jwt", "clientSecret": "s"]),
                "providers[0].settings.clientAuthentication"
            ),
            (client(["clientKey": ["kty": "EC"]]), "providers[0].settings.clientKey"),
            (client(["clientKeyFile": "/nowhere/key.jwk"]), "providers[0].settings.clientKeyFile"),
        ] as [(JSONValue, String)])
    func mistakes(settings: JSONValue, keyPath: String) {
        let error = #expect(throws: ConfigurationError.self) { try chain(settings) }
        #expect(error?.message.hasPrefix(keyPath) == true)
    }
}
