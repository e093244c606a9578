import Foundation
import IdentityKit
import IdentityOAuthProviders
import TestSupport
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
            client([
                "prompt": ["login", "consent"], "authorizationParameters": ["audience": "https://api.example"],
                "tokenParameters": ["audience": "https://api.example"], "pushesAuthorizationRequests": true,
                "endpoints": ["token_endpoint": "https://id.example.com/t", "jwks_uri": "https://id.example.com/k"],
            ]),
            client(["prompt": []]),
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
            (client(["clientAuthentication": "client_secret_jwt"]), "providers[0].settings.clientSecret"),
            (
                client(["clientAuthentication": "client_secret_jwt", "clientSecret": "a short one"]),
                "providers[0].settings.clientSecret"
            ),
            (client(["clientKeyAlgorithm": "RS256"]), "providers[0].settings.clientKeyAlgorithm"),
            (client(["clientKeyAlgorithm": "HS256"]), "providers[0].settings.clientKeyAlgorithm"),
            (client(["responseMode": "fragment"]), "providers[0].settings.responseMode"),
            (
                client(["tokenResponse": ["finalRefusals": [["status": 500, "error": "e", "description": "d"]]]]),
                "providers[0].settings.tokenResponse.finalRefusals[0].status"
            ),
            (
                client(["tokenResponse": ["finalRefusals": [["status": 400, "error": "e"]]]]),
                "providers[0].settings.tokenResponse.finalRefusals[0].description"
            ),
            (client(["clientKey": ["kty": "EC"]]), "providers[0].settings.clientKey"),
            (client(["clientKeyFile": .string(MissingPath.make())]), "providers[0].settings.clientKeyFile"),
            (
                client(["clientKey": ["kty": "EC"], "clientKeyFile": .string(MissingPath.make())]),
                "providers[0].settings.clientKeyFile"
            ),
            (client(["prompt": "login"]), "providers[0].settings.prompt"),
            (client(["prompt": ["none", "login"]]), "providers[0].settings.prompt"),
            (client(["prompt": ["login consent"]]), "providers[0].settings.prompt"),
            (client(["authorizationParameters": ["a": 1]]), "providers[0].settings.authorizationParameters"),
            (client(["endpoints": ["token": "https://id.example.com"]]), "providers[0].settings.endpoints"),
            (
                client(["endpoints": ["token_endpoint": "http://id.example.com/t"]]),
                "providers[0].settings.endpoints.token_endpoint"
            ),
            (
                client(["endpoints": ["token_endpoint": "/t"]]), "providers[0].settings.endpoints.token_endpoint"
            ),
        ] as [(JSONValue, String)])
    func mistakes(settings: JSONValue, keyPath: String) {
        let error = #expect(throws: ConfigurationError.self) { try chain(settings) }
        #expect(error?.message.hasPrefix(keyPath) == true)
    }

    @Test(
        "An issuer that is the address of a document is refused, with what to leave out",
        arguments: ["openid-configuration", "oauth-authorization-server"])
    func document(name: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try chain([
                "issuer": .string("https://id.example.com/.well-known/\(name)"), "clientID": "app", "signIn": "device",
            ])
        }
        #expect(error?.message.contains("Write it without \"/.well-known/\(name)\"") == true)
    }

    @Test("The schema knows every setting")
    func schema() {
        let schema = ProviderRegistry([OpenIDConnectPlugin.self]).schema
        let text = String(decoding: (try? JSONEncoder().encode(schema)) ?? Data(), as: UTF8.self)
        for name in [
            "issuer", "clientID", "clientSecret", "clientAuthentication", "clientKey", "clientKeyFile", "scopes",
            "redirectURI", "postLogoutRedirectURI", "signIn", "allowsLoopbackHTTP", "prompt", "authorizationParameters",
            "tokenParameters", "pushesAuthorizationRequests", "endpoints", "token_endpoint", "jwks_uri",
        ] {
            #expect(text.contains("\"\(name)\":"), "\(name)")
        }
    }

    @Test(
        "A parameter of the protocol cannot be added, and so not be overridden",
        arguments: [
            "state", "nonce", "client_id", "code_challenge", "code_challenge_method", "redirect_uri", "response_type",
            "scope", "prompt", "request", "request_uri", "dpop_jkt", "client_secret",
        ])
    func reservedAuthorizationParameters(name: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try chain(Self.client(["authorizationParameters": .object([name: "x"])]))
        }
        #expect(error?.message.hasPrefix("providers[0].settings.authorizationParameters") == true)
        #expect(error?.message.contains("The extra parameter \(name) belongs to the protocol") == true)
    }

    @Test(
        "Nor one of the token request",
        arguments: [
            "grant_type", "code", "code_verifier", "redirect_uri", "refresh_token", "device_code", "scope", "client_id",
            "client_secret", "client_assertion", "client_assertion_type",
        ])
    func reservedTokenParameters(name: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try chain(Self.client(["tokenParameters": .object([name: "x"])]))
        }
        #expect(error?.message.hasPrefix("providers[0].settings.tokenParameters") == true)
    }
}
