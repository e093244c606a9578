import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders

/// The installed `identity`, with a session at a local server. The session is in a store in encrypted files.
struct SignedInTool {
    let server: LocalOpenIDConnectServer
    private let tool: String
    let configuration: URL
    private let provider: OAuthSessionProvider
    private let account: AccountID

    init(
        _ bench: Bench, in place: URL? = nil,
        configure: @escaping (inout LocalOpenIDConnectServer.Configuration) -> Void = { _ in }
    )
        async throws
    {
        tool = try bench.installedTool
        server = try await LocalOpenIDConnectServer.start(
            configuration: .init {
                $0.clients.append(OIDCAgent.client)
                configure(&$0)
            })
        let folder = try place ?? bench.scratch.folder()
        let settings = OpenIDConnectSettings(
            issuer: server.issuer, clientID: server.client.id, redirectURI: URL(string: "http://127.0.0.1/callback"),
            transportSecurity: .loopbackHTTPAllowed)
        let store = StoreConfiguration.file(folder: folder.appendingPathComponent("store").path, key: .keyFile())
        provider = OAuthSessionProvider(
            settings.server,
            context: ProviderContext(
                name: BenchmarkSessions.realm,
                environment: IdentityEnvironment(store: try store.open(), webAuthenticator: server.browser)))
        configuration = try Self.write(
            IdentityConfiguration(
                store: store,
                providers: [
                    ProviderConfiguration(
                        name: BenchmarkSessions.realm, type: OpenIDConnectPlugin.type,
                        settings: [
                            "issuer": .string(server.issuer), "allowsLoopbackHTTP": true,
                            "clientID": .string(server.client.id), "redirectURI": "http://127.0.0.1/callback",
                        ])
                ]), in: folder)
        let client = try IdentityClient(
            configuration: try JSONDecoder().decode(
                IdentityConfiguration.self, from: try Data(contentsOf: configuration)),
            registry: ProviderRegistry([OpenIDConnectPlugin.self]), webAuthenticator: server.browser)
        account = try await client.signIn()
    }

    func program(_ words: String...) -> Program {
        Program(path: tool, arguments: words + ["--config", configuration.path])
    }

    /// Replaces the stored session by a session whose access token expired a minute ago.
    func expire() async throws {
        guard var credential = try await provider.sessions.storedCredential(of: account) else {
            throw SessionError.notSignedIn(account)
        }
        credential.issuedAt = Date() - 3600
        credential.expiresAt = Date() - 60
        try await provider.sessions.begin(credential, for: account)
    }

    static func write(_ configuration: IdentityConfiguration, in folder: URL) throws -> URL {
        let file = folder.appendingPathComponent("identity.json")
        try JSONEncoder().encode(configuration).write(to: file)
        return file
    }
}

extension Bench {
    /// The path that the option `--tool` gives.
    /// - Throws: ``Skipped`` without the option.
    var installedTool: String {
        get throws {
            guard let tool else { throw Skipped(description: "--tool is missing: \"$(.ci/release | tail -n 1)\"") }
            return tool
        }
    }
}

extension LocalOpenIDConnectServer {
    /// A simulated browser in which the server's user signs in.
    var browser: ScriptedBrowser {
        let login = ScriptedLogin(username: user.username, password: user.password)
        return ScriptedBrowser { try await login.signIn(at: $0) }
    }
}
