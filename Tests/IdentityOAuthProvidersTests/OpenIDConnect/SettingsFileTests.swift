import Foundation
import IdentityKit
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// Files that a configuration names.
@Suite struct SettingsFileTests {
    @Test("A relative path starts at the folder of the configuration, whatever folder the program works in")
    func relative() async throws {
        let folder = try TemporaryFolder()
        try Data(SigningKey(keyID: "app-1").jwk.reveal().utf8).write(to: folder.file("key.jwk"))
        let file = folder.file("identity.json")
        let document: JSONValue = [
            "providers": [
                [
                    "name": "work", "type": "openid-connect",
                    "settings": [
                        "issuer": "https://id.example", "clientID": "app", "redirectURI": "app.example:/callback",
                        "clientKeyFile": "key.jwk",
                    ],
                ]
            ]
        ]
        try JSONEncoder().encode(document).write(to: file)
        let registry = ProviderRegistry([OpenIDConnectPlugin.self])
        let environment = IdentityEnvironment(store: MemoryTokenStore())
        let chain = try registry.makeChain(for: IdentityConfiguration(contentsOf: file), environment: environment)
        #expect(chain.links.map(\.name) == ["work"])
        // Without a file there is no folder but the program's own.
        #expect(throws: ConfigurationError.self) {
            try registry.makeChain(
                for: IdentityConfiguration(parsing: Data(contentsOf: file)), environment: environment)
        }
    }
}
