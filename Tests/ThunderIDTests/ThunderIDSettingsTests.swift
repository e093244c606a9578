import Foundation
import IdentityKit
import Testing
import ThunderID

@Suite struct ThunderIDSettingsTests {
    private func chain(_ settings: JSONValue) throws -> IdentityProviderChain {
        try ProviderRegistry([ThunderIDPlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "work", type: "thunderid", settings: settings)]),
            environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    @Test(
        "Settings that fit together make a provider",
        arguments: [
            ["baseURL": "https://id.example.com", "clientID": "app", "redirectURI": "example://callback"],
            ["baseURL": "https://id.example.com", "applicationID": "0198c0de"],
            [
                "baseURL": "http://localhost:8090", "allowsLoopbackHTTP": true, "clientID": "app",
                "redirectURI": "example://callback", "signIn": "redirect", "scopes": ["openid"],
                "replay": ["window": 30],
            ],
        ] as [JSONValue])
    func accepted(settings: JSONValue) throws {
        #expect(try chain(settings).realms == ["work"])
    }

    @Test(
        "Settings that do not fit together say what is missing",
        arguments: [
            (["baseURL": "https://id.example.com"], "clientID"),
            (["baseURL": "https://id.example.com", "clientID": "app", "signIn": "redirect"], "redirectURI"),
            (["baseURL": "https://id.example.com", "applicationID": "x", "signIn": "redirect"], "clientID"),
        ] as [(JSONValue, String)])
    func incomplete(settings: JSONValue, missing: String) {
        let error = #expect(throws: IAMError.self) { try chain(settings) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(missing) == true)
    }

    @Test(
        "A wrong value is named with its key path",
        arguments: [
            (["baseURL": "http://id.example.com", "clientID": "a"], "providers[0].settings.baseURL"),
            (["baseURL": "https://id.example.com", "signIn": "magic"], "providers[0].settings.signIn"),
            (["baseURL": "https://id.example.com", "scopes": "openid"], "providers[0].settings.scopes"),
            (["baseURL": "https://id.example.com", "clientId": "a"], "providers[0].settings.clientId"),
            (["baseURL": "https://id.example.com", "replay": "window"], "providers[0].settings.replay"),
        ] as [(JSONValue, String)])
    func mistakes(settings: JSONValue, keyPath: String) {
        let error = #expect(throws: ConfigurationError.self) { try chain(settings) }
        #expect(error?.message.hasPrefix(keyPath) == true)
    }

    @Test("Every documented error code has its documented value")
    func errorCodes() {
        #expect(IAMErrorCode.allCases.count == 28)
        #expect(IAMErrorCode.sessionExpired.rawValue == "SESSION_EXPIRED")
        #expect(IAMErrorCode.invalidRedirectUri.rawValue == "INVALID_REDIRECT_URI")
    }
}
