import Foundation
import IdentityKit
import IdentityOAuthProviders
import InsForge
import Testing
import ThunderID

/// Servers are recognized by what they publish, and by nothing less.
@Suite struct RecognitionTests {
    private static let plugins: [any ProviderPlugin.Type] = [
        InsForgePlugin.self, ThunderIDPlugin.self, OpenIDConnectPlugin.self, ProtectedResourcePlugin.self,
        OAuth2Plugin.self,
    ]

    /// The recognition of a server at which everything is `document`.
    private func recognition(
        by plugin: any ProviderPlugin.Type, _ document: JSONValue, at address: String = "https://id.example.com/a/"
    ) throws -> Recognition? {
        let documents = Dictionary(uniqueKeysWithValues: plugin.setup.published.map { ($0, document) })
        return plugin.setup.recognize(PublishedDocuments(at: try #require(URL(string: address)), documents))
    }

    @Test("Each type takes the address or the issuer from what its server publishes")
    func settings() throws {
        let document: JSONValue = [
            "issuer": "https://ISSUER.example.com/", "resource": "https://other.example.com",
            "isRegistrationFlowEnabled": false,
        ]
        let found = try Self.plugins.map { try recognition(by: $0, document)?.settings }
        #expect(
            found == [
                ["baseURL": "https://id.example.com/a"], ["baseURL": "https://id.example.com/a"],
                ["issuer": "https://ISSUER.example.com/"], ["resource": "https://id.example.com/a/"],
                ["issuer": "https://ISSUER.example.com/"],
            ])
        for plugin in Self.plugins { #expect(plugin.setup.addressSetting != nil, "\(plugin.type)") }
    }

    @Test("An object that says nothing is that of no server with a standard's metadata")
    func others() throws {
        for plugin in Self.plugins.dropFirst() { #expect(try recognition(by: plugin, [:]) == nil, "\(plugin.type)") }
    }

    @Test("A client registers itself only where the server says how")
    func registration() throws {
        for plugin in [OpenIDConnectPlugin.self, OAuth2Plugin.self] as [any ProviderPlugin.Type] {
            var document: JSONValue = ["issuer": "https://id.example.com"]
            let closed = try recognition(by: plugin, document)?.questions
            #expect(closed == plugin.setup.questions && closed?.first?.standard == nil)
            document["registration_endpoint"] = "https://id.example.com/register"
            let open = try recognition(by: plugin, document)?.questions
            #expect(open?.first?.standard == .settings(["registration": [:]], called: "register"))
            #expect(open?.dropFirst() == plugin.setup.questions.dropFirst())
        }
    }

    @Test("A document is at a path below the address, or before the address's own path")
    func places() throws {
        let address = try #require(URL(string: "https://id.example.com/a/"))
        let (below, known) = (PublishedDocument.below("/b"), PublishedDocument.wellKnown("c"))
        #expect(below.url(of: address)?.absoluteString == "https://id.example.com/a/b")
        #expect(known.url(of: address)?.absoluteString == "https://id.example.com/.well-known/c/a/")
        let root = try #require(URL(string: "https://id.example.com/"))
        #expect(known.url(of: root)?.absoluteString == "https://id.example.com/.well-known/c")
    }
}
