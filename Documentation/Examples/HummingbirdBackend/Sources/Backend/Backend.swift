import Crypto
import Foundation
import Hummingbird
import IdentityKit
import IdentityPostgres

/// A web server that acts for many users: `backend FILE [PORT]`, and `backend FILE migrate` for the tables of a fleet.
@main
struct Backend {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let file = arguments.popFirst() else { return complain("usage: backend FILE [PORT | migrate]") }
        do {
            let configuration = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file))
            guard let word = arguments.popFirst() else { return try await serve(configuration, port: 8705) }
            guard word != "migrate" else { return try await registry.stores.migrate(configuration.store) }
            try await serve(configuration, port: Int(word) ?? 0)
        } catch let failure as any IdentityFailure {
            complain(failure.message)
        }
    }

    // snippet: a-backend
    /// People sign in with what the configuration names. It names the store, too: files, or the database of a fleet.
    static var registry: ProviderRegistry {
        var registry = ProviderRegistry([WebSignInPlugin.self])
        registry.stores.register(PostgresStorePlugin.self)
        return registry
    }

    static func makeClient(
        _ configuration: IdentityConfiguration
    ) throws -> (client: IdentityClient, signIns: [String: WebSignIn]) {
        let environment = IdentityEnvironment(
            store: try registry.stores.open(configuration.store), webAuthenticator: nil)
        let chain = try registry.makeChain(for: configuration, environment: environment)
        let signIns = chain.links.compactMap { link in (link.provider as? WebSignIn).map { (link.name, $0) } }
        return (IdentityClient(provider: chain, environment: environment), Dictionary(uniqueKeysWithValues: signIns))
    }
    // end snippet

    private static func serve(_ configuration: IdentityConfiguration, port: Int) async throws {
        let variables = ProcessInfo.processInfo.environment
        guard let key = variables["COOKIE_KEY"].flatMap({ Data(base64Encoded: $0) }), key.count == 32 else {
            return complain("COOKIE_KEY must be 32 random bytes in base64, the same on every machine.")
        }
        guard let api = variables["API_URL"].flatMap(URL.init(string:)) else {
            return complain("API_URL must be the address that is called for people.")
        }
        let (client, signIns) = try makeClient(configuration)
        let routes = Routes(
            client: client, signIns: signIns,
            cookies: SealedCookies(key: SymmetricKey(data: key), isSecure: variables["PLAIN_HTTP"] != "1"), api: api)
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
