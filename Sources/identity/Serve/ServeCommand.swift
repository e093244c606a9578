#if Tools
import ArgumentParser
import Foundation
import IdentityKit
import IdentityTestKit

/// `identity serve`: the local servers, to develop against.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the local identity servers until Ctrl-C.",
        discussion: """
            Everything is kept in memory and listens on 127.0.0.1 only. Accounts and passwords are well known: never use
            these servers for anything but development.

            EXAMPLES
              identity serve
              identity serve --configuration identity.json
              identity serve --thunderid-port 8090 --insforge-port 7130 --oidc-port 8080
            """)

    @Option(name: .customLong("thunderid-port"), help: "The port of the ThunderID server; 0 for any free one.")
    var thunderIDPort = 0

    @Option(name: .customLong("insforge-port"), help: "The port of the InsForge server; 0 for any free one.")
    var insForgePort = 0

    @Option(name: .customLong("oidc-port"), help: "The port of the OpenID Connect server; 0 for any free one.")
    var openIDConnectPort = 0

    @Option(help: "Write the configuration to this file as well. An existing file is replaced.")
    var configuration: String?

    func validate() throws {
        for port in [thunderIDPort, insForgePort, openIDConnectPort] where !(0...65_535).contains(port) {
            throw ValidationError("\(port) is no port. Use 0 to 65535.")
        }
    }

    func run() async throws {
        let terminal = Terminal()
        let stop = StopSignal()
        do {
            let thunderID = try await LocalThunderIDServer.start(
                port: thunderIDPort, configuration: .init { $0.servesGate = true })
            let insForge = try await LocalInsForgeServer.start(
                port: insForgePort,
                configuration: .init {
                    $0.asksPeople = true
                    $0.legacy.servesHostedPage = true
                })
            let openIDConnect = try await LocalOpenIDConnectServer.start(port: openIDConnectPort)
            try announce(thunderID, insForge, openIDConnect, on: terminal)
            await stop.wait()
            await thunderID.stop()
            await insForge.stop()
            await openIDConnect.stop()
            terminal.note("Stopped.")
        } catch let error where !(error is OutputError) {
            terminal.note("identity serve: \((error as? any IdentityFailure)?.message ?? "\(error)")")
            throw ExitCode.failure
        }
    }

    /// A folder of this run: the servers forget everything when they stop, so a session is worth nothing later.
    private var storeFolder: URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("identity-serve-\(UUID().uuidString.prefix(8))")
    }

    private func announce(
        _ thunderID: LocalThunderIDServer, _ insForge: LocalInsForgeServer,
        _ openIDConnect: LocalOpenIDConnectServer, on terminal: Terminal
    ) throws {
        let document = IdentityConfiguration(
            store: .file(folder: storeFolder.path),
            providers: [
                LocalServers.provider(for: thunderID, method: .native), LocalServers.provider(for: insForge),
                LocalServers.provider(for: openIDConnect),
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(document)
        if let configuration { try json.write(to: URL(fileURLWithPath: configuration)) }

        let (first, second, third) = (thunderID.user, insForge.user, openIDConnect.user)
        try terminal.line("ThunderID       \(thunderID.url)  \(Self.login(first.username, first.password.reveal()))")
        try terminal.line("InsForge        \(insForge.url)  \(Self.login(second.email, second.password))")
        try terminal.line(
            "OpenID Connect  \(openIDConnect.url)  \(Self.login(third.username, third.password.reveal()))")
        try terminal.line()
        try terminal.line(String(decoding: json, as: UTF8.self))
        terminal.note("Press Ctrl-C to stop.")
    }

    private static func login(_ user: String, _ password: String) -> String { "user \(user), password \(password)" }
}
#endif
