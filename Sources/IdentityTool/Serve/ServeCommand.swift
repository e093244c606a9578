import ArgumentParser
import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTerminal

/// `identity serve`: runs the local servers, for development.
struct ServeCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { ServeAnnouncement.Document.self }

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the local identity servers until Ctrl-C.",
        discussion: """
            ThunderID, InsForge and OpenID Connect listen on 127.0.0.1 only. Passwords are \
            not hashed: use these servers for development only.

            EXAMPLES
              identity serve
              identity serve --configuration identity.json
              identity serve --user grace --client my-app=com.example.app://callback
              identity serve --users users.json --data ~/.local/state/identity-serve
              identity serve --thunderid-port 8090 --dashboard-port 8099

            USERS AND CLIENTS
              {
                "users": [
                  {"username": "grace", "password": "${GRACE_PASSWORD}"},
                  {"username": "ada", "password": "Enchantress-1", "servers": ["oidc"]}
                ],
                "oidc": {
                  "clients": [
                    {"clientID": "app", "redirectURIs": ["http://127.0.0.1/callback"]}
                  ]
                }
              }

              --schema prints all members of a document. Its users replace the well-known
              ones.

            SCREENS OF AN APP
              The pages of ThunderID's SDK take the application identifier that is printed,
              with --json as "applicationId".

            DASHBOARD
              A page with requests and why they were refused, users, flows, tokens without
              their values, the codes and links that would have been sent, forms for users
              and clients, and switches: slow responses, errors, new signing keys, revoked
              tokens. Only a browser on this machine can open it.

            CONTROLLING INSFORGE
              --insforge-control-port is for tests in any language: GET /outbox and /tokens,
              POST /clock {"seconds": 900}, /fail {"path": "/api", "status": 503} and /reset,
              PATCH /config. Every program of this machine can use it, but no web page.

            WHAT --data KEEPS
              Users with their changes, clients, ports, signing keys, tokens and sessions:
              tokens stay valid after a restart on the same ports. A changed entry for a
              user in the document replaces the kept one. Pages, codes, pending messages
              and faults are not kept. Only the folder's owner can read it; remove it to
              start again.

            EXIT STATUS
              0 after Ctrl-C, 1 when a port is taken or the folder cannot be used, 5 while
              another serve uses the folder, 64 for a wrong command line, 78 for a mistake
              in the document.
            """)

    @OptionGroup(title: "Users and clients") var people: ServeSetupOptions

    @Option(
        help: ArgumentHelp("Keep the state in this folder, for the next start.", valueName: "folder"),
        transform: ArgumentPath.checked)
    var data: String?

    @Option(
        name: .customLong("access-token-lifetime"),
        help: ArgumentHelp(
            """
            The lifetime of access tokens of ThunderID and OpenID Connect in seconds, to see refreshes. The default is an \
            hour.
            """, valueName: "seconds"))
    var accessTokenLifetime: Int?

    @Option(name: .customLong("thunderid-port"), help: "The port of the ThunderID server; 0 for any free one.")
    var thunderIDPort: Int?

    @Option(name: .customLong("insforge-port"), help: "The port of the InsForge server; 0 for any free one.")
    var insForgePort: Int?

    @Option(
        name: .customLong("insforge-control-port"),
        help: "The port from which tests control the InsForge server; 0 for any free one. The default is none.")
    var insForgeControlPort: Int?

    @Option(name: .customLong("oidc-port"), help: "The port of the OpenID Connect server; 0 for any free one.")
    var openIDConnectPort: Int?

    @Option(help: "The port of the dashboard; 0 for any free one.")
    var dashboardPort: Int?

    @Option(
        help:
            "Write the configuration to this file as well, readable for its owner only. An existing file is replaced.",
        transform: ArgumentPath.checked)
    var configuration: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let ports = [thunderIDPort, insForgePort, insForgeControlPort, openIDConnectPort, dashboardPort]
        for port in ports.compactMap({ $0 }) where !(0...65_535).contains(port) {
            throw ValidationError("\(port) is not a port. Use 0 to 65535.")
        }
        // The limit is ten years.
        if let accessTokenLifetime, !(1...315_360_000).contains(accessTokenLifetime) {
            throw ValidationError("--access-token-lifetime takes 1 to 315360000 seconds.")
        }
    }

    func run(in call: ToolCall) async throws {
        if output.schema { return try call.terminal.json(ServeSetup.schema) }
        do {
            try await serve(in: call)
        } catch let error as any IdentityFailure where !Task.isCancelled {
            call.terminal.note("identity serve: \(error.message)")
            throw ExitStatus(of: error).code
        }
    }

    private func serve(in call: ToolCall) async throws {
        let terminal = call.terminal
        let data = try data.map { path in try ServeData(at: call.path(path)) { terminal.note($0) } }
        // Catch signals, because Ctrl-C at the password prompt must switch the terminal's echo on again.
        var setup = try await call.process.interrupting { try await people.setup(kept: data?.kept?.setup, in: call) }
        if data != nil { setup.settleKeys(as: data?.kept?.setup) }
        let ownFolder = call.temporaryFolder.appendingPathComponent("identity-serve-\(UUID().uuidString.prefix(8))")
        // Without `--data`, the servers forget every session at their end, so delete the stored sessions.
        defer { if data == nil { try? FileManager.default.removeItem(at: ownFolder) } }
        // The store puts its key beside the folder of the sessions. Use a subfolder, so that both are in `ownFolder`.
        let store = data?.sessions ?? ownFolder.appendingPathComponent("sessions").path
        let start = RunningServers.Start(
            setup: setup, ports: (data?.kept?.ports ?? [:]).merging(askedPorts) { $1 },
            insForgeControlPort: insForgeControlPort, accessTokenLifetime: accessTokenLifetime, store: store, data: data
        )
        do {
            try await call.process.interrupting {
                // Finish starting even after a cancellation, so that all servers are known and can be stopped.
                let servers = try await HostProcess.finishing { await Result { try await RunningServers.start(start) } }
                    .get()
                let result = Result(catching: { try announce(servers, setup, data, store: store, in: call) })
                if case .success = result { await Self.waitForTheEnd() }
                await HostProcess.finishing { await servers.stop() }
                try result.get()
            }
        } catch  where Task.isCancelled {
            // Ctrl-C is the normal way to end.
            terminal.note("Stopped.")
        }
    }

    private func announce(
        _ servers: RunningServers, _ setup: ServeSetup, _ data: ServeData?, store: String, in call: ToolCall
    ) throws {
        try data?.keep(ServeData.Record(ports: servers.ports, setup: setup))
        let announcement = ServeAnnouncement(
            setup: setup, servers: servers, dashboard: servers.dashboard.url, data: data?.path,
            configuration: servers.configuration(store: store))
        if let configuration {
            try PrivateDocument.replace(
                Data(try announcement.configuration.json().utf8), at: call.path(configuration))
        }
        try output.json ? announcement.printJSON(on: call.terminal) : announcement.print(on: call.terminal)
        call.terminal.note("Press Ctrl-C to stop.")
    }

    /// Waits until the task is cancelled, as it is by Ctrl-C.
    private static func waitForTheEnd() async {
        let (never, _) = AsyncStream<Never>.makeStream()
        for await _ in never {}
    }

    private var askedPorts: [String: Int] {
        let ports = [
            ServeSetup.Server.thunderid.rawValue: thunderIDPort, ServeSetup.Server.insforge.rawValue: insForgePort,
            ServeSetup.Server.oidc.rawValue: openIDConnectPort, RunningServers.dashboardKey: dashboardPort,
        ]
        return ports.compactMapValues { $0 }
    }
}

extension ServeSetup {
    /// Sets the InsForge keys that the setup lacks: to those of the last start if they were kept, or else to new random keys.
    fileprivate mutating func settleKeys(as kept: ServeSetup?) {
        let fresh = LocalInsForgeServer.Configuration()
        var project = insforge ?? InsForge()
        project.anonKey = project.anonKey ?? kept?.insforge?.anonKey ?? fresh.anonKey
        project.apiKey = project.apiKey ?? kept?.insforge?.apiKey ?? Secret(fresh.apiKey)
        insforge = project
    }
}
