#if os(Linux)
import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import IdentityKit

/// The certificates that requests to resources trust.
@Suite(.endsInTime) struct ResourceTrustTests {
    private enum Plugin: ProviderPlugin {
        static let type = "example"

        struct Settings: Decodable, Sendable {
            let trustedCertificates: TrustedCertificates?
        }

        static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
            IdentityProviders.staticToken("t", for: AccountID(account: "ada", realm: context.name))
        }
    }

    @Test("Requests as an account trust the certificates of its provider, and those of no other")
    func perProvider() async throws {
        let server = try await TLSServer.start(host: "localhost")
        let folder = try TemporaryFolder()
        let file = folder.file("authority.pem")
        try server.certificate.write(to: file)
        let providers = [("work", ["trustedCertificates": ["${AUTHORITY}"]]), ("home", [:])] as [(String, JSONValue)]
        var configuration = IdentityConfiguration(
            providers: providers.map { ProviderConfiguration(name: $0, type: Plugin.type, settings: $1) })
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: try #require(CurlTransport()), variables: ["AUTHORITY": file.path])
        let client = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([Plugin.self]), environment: environment)
        let request = URLRequest(url: try #require(URL(string: "https://localhost:\(server.port)/")))
        let ada = AccountID(account: "ada", realm: "work")
        let other = AccountID(account: "ada", realm: "home")
        #expect(try await client.data(for: request, as: ada).1.statusCode == 200)
        #expect(try await client.bytes(for: request, as: ada).1.statusCode == 200)
        #expect(try await client.trusting(environment.transport, as: ada).data(for: request).1.statusCode == 200)
        let error = TransportError.untrustedCertificate(host: "localhost:\(server.port)", .unknownAuthority)
        await #expect(throws: error) { try await client.data(for: request, as: other) }
        await #expect(throws: error) { try await client.trusting(environment.transport, as: other).data(for: request) }
        configuration.providers[0].settings = [:]
        try client.reload(configuration)
        await #expect(throws: error) { try await client.data(for: request, as: ada) }
        server.stop()
    }
}
#endif
