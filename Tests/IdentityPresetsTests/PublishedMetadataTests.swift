import Foundation
import IdentityKit
import IdentityPresets
import IdentityOAuth
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the vendors publish about themselves, as it was found, and what the presets say.
@Suite struct PublishedMetadataTests {
    /// Whose document it is, where the preset has parameters.
    private static let parameters: [String: [String: JSONValue]] = [
        "auth0": ["domain": "guabu.us.auth0.com"],
        "authentik": ["server": "https://localhost:8080", "application": "app"],
        "cognito": ["region": "eu-west-1", "userPoolID": "eu-west-1_u98DSW85w"],
        "github": ["domain": "github.com", "apiURL": "https://api.github.com"],
        "gitlab": ["domain": "gitlab.com"],
        "keycloak": ["server": "http://127.0.0.1:8080", "realm": "master"],
        "okta": ["domain": "evilcorp.okta.com", "authorizationServer": ""],
        "salesforce": ["domain": "login.salesforce.com"],
        "zitadel": ["server": "https://test.zitadel.cloud"],
    ]

    /// Endpoints that a preset names otherwise, as the vendor's page does: the document's is an older address of the same
    /// endpoint, or for OpenID Connect alone.
    private static let different: Set = ["discord authorization_endpoint", "spotify authorization_endpoint"]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Metadata")

    static let documented: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }()

    private static func discover(_ type: String) async throws -> (AuthorizationServerMetadata, JSONValue) {
        let document = try Data(contentsOf: folder.appendingPathComponent("\(type).json"))
        let needed = Presets.needed(by: try Presets.preset(type))
        let whole = try Presets.registry.expanded(
            ProviderConfiguration(
                name: type, type: type, settings: .object(needed.merging(parameters[type] ?? [:]) { $1 })))
        let metadata = try await Discovery.discover(
            issuer: try #require(whole.settings["issuer"]?.stringValue), using: Published(document: document),
            transportSecurity: .loopbackHTTPAllowed)
        return (metadata, whole.settings)
    }

    @Test("The documents are there")
    func complete() {
        #expect(Self.documented.count == 18)
    }

    @Test(
        "The document is that of the preset's issuer, and their endpoints agree",
        arguments: documented.filter { $0 != "entra" })
    func agrees(type: String) async throws {
        let (metadata, settings) = try await Self.discover(type)
        for (name, address) in settings["endpoints"]?.objectValue ?? [:] {
            guard let published = metadata.members[name]?.stringValue else { continue }
            let isEqual = published == address.stringValue
            #expect(isEqual != Self.different.contains("\(type) \(name)"), "\(name): \(published)")
        }
        if settings["usesCodeChallenge"] == nil, let methods = metadata.codeChallengeMethodsSupported {
            #expect(methods.contains("S256"))
        }
        if settings["endpoints"]?["token_endpoint"] == nil { _ = try metadata.endpoint(.token) }
    }

    @Test("Entra's document of all directories is for no directory, and the error names the presets")
    func entra() async throws {
        let error = await #expect(throws: OAuthError.self) { try await Self.discover("entra") }
        #expect(error?.failureCode == "metadata_issuer_mismatch")
        #expect(error?.message.contains("entra-multitenant") == true)
    }
}

/// A server that publishes one document.
private struct Published: HTTPTransport {
    let document: Data

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let url = try #require(request.url)
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"])
        return (document, try #require(response))
    }
}
