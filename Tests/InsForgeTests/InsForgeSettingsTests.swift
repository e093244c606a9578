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

    @Test("The smallest and the fullest settings make a provider")
    func accepted() throws {
        #expect(try chain(["baseURL": "https://example.insforge.app"]).realms == ["home"])
        #expect(
            try chain([
                "baseURL": "http://127.0.0.1:7130", "allowsLoopbackHTTP": true, "anonKey": "anon_x", "signIn": "oauth",
                "oauthProvider": "google", "redirectURI": "example://callback",
            ]).realms == ["home"])
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
                "providers[0].settings.signIn is not acceptable. Accepted: password, oauth."
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
                ["baseURL": "https://a.example", "anonkey": "x"],
                "providers[0].settings.anonkey is not a known setting. Known here: allowsLoopbackHTTP, anonKey, "
                    + "baseURL, oauthProvider, redirectURI, signIn."
            ),
        ] as [(JSONValue, String)])
    func mistakes(settings: JSONValue, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try chain(settings) }
        #expect(error?.message == message)
    }
}
