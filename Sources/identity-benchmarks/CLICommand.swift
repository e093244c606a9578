import ArgumentParser
import Foundation
import IdentityKit
import IdentityTesting
import LocalServers
import OpenIDConnect

/// `identity-benchmarks cli`
struct CLICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cli",
        abstract: "A stored token at a terminal, beside oidc-agent's.",
        discussion: """
            Measures whole processes, from their start to their end: "identity token", which reads the store itself, and
            "oidc-token", which asks a running oidc-agent. Install Debian's oidc-agent-cli for the comparison, and measure
            what is installed: --tool "$(.ci/release | tail -n 1)"
            """)

    @Option(help: "The tool. By default the one beside this program.")
    var tool: String?

    @Option(help: "How often each is started.")
    var rounds = 300

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await LocalOpenIDConnectServer.start(
            configuration: .init { $0.clients.append(OIDCAgent.client) })
        let file = try await signIn(at: server, in: folder)
        let agent = try await OIDCAgent.start(at: server, in: folder)
        defer { agent?.stop() }

        let identity = Program(path: toolPath, arguments: ["token", "--config", file.path])
        let nothing = Program(path: "/bin/true")
        let programs = [nothing, identity] + (agent.map { [$0.token] } ?? [])
        for program in programs { try program.run() }
        let costs = try Stopwatch(rounds: rounds, calls: 1).median(programs.map { program in { try program.run() } })
        print("A stored token, the whole process, the median of \(rounds)")
        print("  /bin/true          \(costs[0].milliseconds)")
        print("  identity token     \(costs[1].milliseconds)")
        if agent != nil {
            print("  oidc-token         \(costs[2].milliseconds)")
            print("  identity token / oidc-token  \(((costs[1] / costs[2]) * 100).rounded() / 100)")
        } else {
            print("  oidc-token         not installed")
        }
        await server.stop()
    }

    private var toolPath: String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tool ?? program.deletingLastPathComponent().appendingPathComponent("identity").path
    }

    /// Signs in as an app does, into a sealed store.
    /// - Returns: the configuration file.
    private func signIn(at server: LocalOpenIDConnectServer, in folder: URL) async throws -> URL {
        let configuration = IdentityConfiguration(
            store: .file(folder: folder.appendingPathComponent("store").path, key: .keyFile()),
            providers: [
                ProviderConfiguration(
                    name: "work", type: OpenIDConnectPlugin.type,
                    settings: [
                        "issuer": .string(server.issuer), "allowsLoopbackHTTP": true,
                        "clientID": .string(server.client.id), "redirectURI": "http://127.0.0.1/callback",
                    ])
            ])
        let client = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([OpenIDConnectPlugin.self]),
            webAuthenticator: server.browser)
        try await client.signIn()
        let file = folder.appendingPathComponent("identity.json")
        try JSONEncoder().encode(configuration).write(to: file)
        return file
    }
}

extension LocalOpenIDConnectServer {
    /// A browser in which the server's user signs in.
    var browser: ScriptedBrowser {
        let login = ScriptedLogin(username: user.username, password: user.password)
        return ScriptedBrowser { try await login.signIn(at: $0) }
    }
}

extension Duration {
    /// Such as `3.21 ms`.
    fileprivate var milliseconds: String {
        "\((self / .milliseconds(1) * 100).rounded() / 100) ms"
    }
}
