import Crypto
import Foundation
import Hummingbird
import IdentityKit
import IdentityOAuthProviders
import IdentityPostgres

/// A web server that acts for many users: `backend FILE [PORT]`, and `backend FILE migrate` for the tables of a fleet.
@main
struct Backend {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let file = arguments.popFirst() else { return complain("usage: backend FILE [PORT | migrate]") }
        do {
            let file = URL(fileURLWithPath: file)
            let configuration = try IdentityConfiguration(contentsOf: file)
            guard let word = arguments.popFirst() else { return try await serve(configuration, in: file, port: 8705) }
            guard word != "migrate" else { return try await registry.migrateStore(configuration.store) }
            try await serve(configuration, in: file, port: Int(word) ?? 0)
        } catch let failure as any IdentityFailure {
            complain(failure.message)
        }
    }

    // snippet: a-backend
    /// People sign in with what the configuration names. It names the store, too: files, or the database of a fleet.
    static var registry: ProviderRegistry {
        var registry = ProviderRegistry([OpenIDConnectPlugin.self, OAuth2Plugin.self])
        registry.register(PostgresStorePlugin.self)
        return registry
    }

    static func makeClient(
        _ configuration: IdentityConfiguration
    ) throws -> (client: IdentityClient, store: any TokenStore) {
        let store = try registry.openStore(configuration.store)
        var environment = IdentityEnvironment(store: store, webAuthenticator: nil)
        // A tenant's server must not have this one ask its neighbours.
        environment.refusesPrivateAddresses = true
        let client = try IdentityClient(configuration: configuration, registry: registry, environment: environment)
        return (client, store)
    }
    // end snippet

    private static func serve(_ configuration: IdentityConfiguration, in file: URL, port: Int) async throws {
        let variables = ProcessInfo.processInfo.environment
        guard let key = variables["COOKIE_KEY"].flatMap({ Data(base64Encoded: $0) }), key.count == 32 else {
            return complain("COOKIE_KEY must be 32 random bytes in base64, the same on every machine.")
        }
        guard let api = variables["API_URL"].flatMap(URL.init(string:)) else {
            return complain("API_URL must be the address that is called for people.")
        }
        let (client, store) = try makeClient(configuration)
        let routes = Routes(
            client: client,
            cookies: SealedCookies(key: SymmetricKey(data: key), isSecure: variables["PLAIN_HTTP"] != "1"),
            browsers: BrowserSessions(store: store, key: SymmetricKey(data: key)), api: api)
        // A tenant that is added to the file can sign in at once.
        let following = Task { await client.follow(file) }
        defer { following.cancel() }
        try await Application(
            router: routes.router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            services: [ClientService(client: client)]
        ).runService()
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        exit(1)
    }
}
