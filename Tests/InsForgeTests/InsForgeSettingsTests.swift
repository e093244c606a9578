import Foundation
import IdentityKit
import InsForge
import Testing

@Suite struct InsForgeSettingsTests {
    private func chain(_ settings: JSONValue) throws -> IdentityProviderChain {
        try ProviderRegistry([InsForgePlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "home", type: "insforge", settings: settings)]),
            environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    private static let redirectAdvice =
        "The redirect address must be absolute, such as yourapp://auth/callback or an https address of the app."

    @Test("The smallest and the fullest settings make a provider")
    func accepted() throws {
        #expect(try chain(["baseURL": "https://example.insforge.app"]).realms == ["home"])
        #expect(
            try chain([
                "baseURL": "http://127.0.0.1:7130", "allowsLoopbackHTTP": true, "anonKey": "anon_x", "signIn": "oauth",
                "oauthProvider": "google", "redirectURI": "example://callback",
            ]).realms == ["home"])
        #expect(
            try chain([
                "baseURL": "https://a.example", "signIn": "oauth", "oauthProviderKey": "my-provider",
                "redirectURI": "https://app.example/cb",
            ]).realms == ["home"])
        #expect(try chain(["baseURL": "https://a.example", "signIn": "mailedCode"]).realms == ["home"])
    }

    @Test(
        "What is wrong is named with its key path",
        arguments: [
            ([:], "providers[0].settings.baseURL is missing. Add it."),
            (
                ["baseURL": ""],
                "providers[0].settings.baseURL is not acceptable. The base URL is empty. Write the address of the "
                    + "backend, such as https://id.example.com."
            ),
            (
                ["baseURL": "http://example.insforge.app"],
                "providers[0].settings.baseURL is not acceptable. \"http://example.insforge.app\" does not use https. "
                    + "Tokens are never sent in the clear; use an https address."
            ),
            (
                ["baseURL": "https://a.example", "signIn": "magic"],
                "providers[0].settings.signIn is not acceptable. It is \"magic\". "
                    + "Accepted: password, mailedCode, oauth."
            ),
            (
                ["baseURL": "https://a.example", "signIn": "oauth"],
                "providers[0].settings.redirectURI is missing. Add it."
            ),
            (
                ["baseURL": "https://a.example", "signIn": "oauth", "redirectURI": "example://callback"],
                "providers[0].settings.oauthProvider is missing. Add it."
            ),
            (
                ["baseURL": "https://a.example", "signIn": "oauth", "oauthProvider": "x", "redirectURI": "callback"],
                "providers[0].settings.redirectURI is not acceptable. \"callback\" is not an absolute URL."
            ),
            (
                ["baseURL": "https://a.example", "redirectURI": "/auth/callback"],
                "providers[0].settings.redirectURI is not acceptable. \"/auth/callback\" is not an absolute URL."
            ),
            (
                ["baseURL": "https://a.example", "redirectURI": "http://app.example/cb"],
                "providers[0].settings.redirectURI is not acceptable. \(redirectAdvice)"
            ),
            (
                [
                    "baseURL": "https://a.example", "signIn": "oauth", "oauthProviderKey": "../x",
                    "redirectURI": "a://b",
                ],
                "providers[0].settings.oauthProviderKey is not acceptable. The key of an OAuth provider has 1 to 64 "
                    + "lower-case letters, digits, hyphens and underscores."
            ),
            (
                [
                    "baseURL": "https://a.example", "signIn": "oauth", "oauthProvider": "x", "oauthProviderKey": "y",
                    "redirectURI": "a://b",
                ],
                "providers[0].settings.oauthProviderKey is not acceptable. There is an oauthProvider already. Name one "
                    + "of the two."
            ),
            (
                ["baseURL": "https://a.example", "anonkey": "x"],
                "providers[0].settings.anonkey is not a known setting. Did you mean \"anonKey\"? "
                    + "Known here: allowsLoopbackHTTP, anonKey, "
                    + "baseURL, oauthProvider, oauthProviderKey, redirectURI, signIn, trustedCertificates."
            ),
        ] as [(JSONValue, String)])
    func mistakes(settings: JSONValue, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try chain(settings) }
        #expect(error?.message == message)
    }
}
