import Foundation
import IdentityKit
import IdentityOAuthProviders
import TestSupport
import Testing

/// Settings that several types of OAuth servers have.
@Suite struct SharedSettingsTests {
    private let registry = ProviderRegistry([
        OpenIDConnectPlugin.self, OAuth2Plugin.self, ProtectedResourcePlugin.self,
    ])

    private func keys(of type: String) throws -> Set<String> {
        Set(try #require(registry.reference(of: type)).settings.map(\.keyPath).filter { !$0.contains(".") })
    }

    /// The keys that the files of a folder read.
    private func keys(readIn folder: String) throws -> Set<String> {
        let place = PackageFolder.url.appendingPathComponent("Providers/OAuth/\(folder)")
        return try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
            .reduce(into: []) { keys, file in
                let text = try String(contentsOf: file, encoding: .utf8)
                let calls = text.matches(of: /\.(?:read|readIfPresent|object|objectIfPresent)\(\s*"(\w+)"/)
                keys.formUnion(calls.map { String($0.output.1) })
            }
    }

    @Test("No type reads a setting of its own that the others have too, but for the issuer")
    func once() throws {
        let shared = try keys(of: "openid-connect").intersection(try keys(of: "oauth2"))
        #expect(shared.count > 25 && shared.contains("bindsTokens"), "\(shared.sorted())")
        for folder in ["OpenIDConnect", "OAuth2", "ProtectedResource"] {
            let own = try keys(readIn: folder)
            #expect(own.intersection(shared) == ["issuer"], "\(folder): \(own.sorted())")
        }
    }

    @Test("What a server has is a setting of openid-connect, too, under the same name")
    func forwarded() {
        var settings = OpenIDConnectSettings(issuer: "https://id.example.com", clientID: "app")
        settings.bindsTokens = true
        settings.requestFormat.userInfoScheme = "token"
        settings.authorizationParameters = ["hd": "example.com"]
        #expect(settings.server.bindsTokens && settings.server.client.requestFormat.userInfoScheme == "token")
        #expect(settings.server.authorizationParameters.map(\.name) == ["hd"])
        #expect(settings.server.scopes == OpenIDConnectSettings.defaultScopes && settings.clientID == "app")
    }
}
