import ArgumentParser
import Foundation
import IdentityKit
import LocalServers

/// `identity serve`: the local servers, to develop against.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the local identity servers until Ctrl-C.",
        discussion: """
            ThunderID, InsForge and OpenID Connect listen on 127.0.0.1 only. Passwords are
            kept as they are: use these servers for development alone.

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

              --schema prints what else a document can say. Users that are named take the
              place of the well-known ones.

            SCREENS OF AN APP
              The pages of ThunderID's SDK take the application identifier that is printed,
              as in SignIn(applicationId: "..."), and as "applicationId" with --json.

            DASHBOARD
              A page with people, flows, tokens without their values, the codes and links
              that would have been sent, and switches: slow answers, errors, new signing
              keys, revoked tokens. Only a browser on this machine can open it.

            STEERING INSFORGE
              --insforge-control-port is for tests in any language: GET /outbox and /tokens,
              POST /clock {"seconds": 900}, /fail {"path": "/api", "status": 503} and /reset,
              PATCH /config. Every program of this machine can use it, but no web page.

            WHAT --data KEEPS
              Users with what they have changed, clients, ports, signing keys, tokens and
              sessions: what was issued before is still good after a restart on the same
              ports. What a document says of a user counts again once it says something
              else. Forgotten are pages, codes and messages on their way, and faults. The
              folder is its owner's alone; remove it to start anew.

            EXIT STATUS
              0 after Ctrl-C, 1 when a port is taken or the folder cannot be used, 5 while
              another serve uses the folder, 64 for a wrong command line, 78 for a mistake
              in the document.
            """)

    @OptionGroup(title: "Users and clients") var people: ServeSetupOptions

    @Flag(help: "Print the JSON Schema of the document of --users, and start nothing.")
    var schema = false

    @Option(
        help: ArgumentHelp("Keep everything in this folder, for the next start.", valueName: "folder"),
        transform: ArgumentPath.absolute)
    var data: String?

    @Option(
        name: .customLong("access-token-lifetime"),
        help: ArgumentHelp(
            """
            How many seconds access tokens of ThunderID and OpenID Connect are good, to see refreshes. By default an \
            hour.
            """, valueName: "seconds"))
    var accessTokenLifetime: Int?

    @Option(name: .customLong("thunderid-port"), help: "The port of the ThunderID server; 0 for any free one.")
    var thunderIDPort: Int?

    @Option(name: .customLong("insforge-port"), help: "The port of the InsForge server; 0 for any free one.")
    var insForgePort: Int?

    @Option(
        name: .customLong("insforge-control-port"),
        help: "The port from which tests steer the InsForge server; 0 for any free one. By default there is none.")
    var insForgeControlPort: Int?

    @Option(name: .customLong("oidc-port"), help: "The port of the OpenID Connect server; 0 for any free one.")
    var openIDConnectPort: Int?

    @Option(help: "The port of the dashboard; 0 for any free one.")
    var dashboardPort: Int?

    @Option(
        help: "Write the configuration to this file as well, for its owner alone. An existing file is replaced.",
        transform: ArgumentPath.absolute)
    var configuration: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let ports = [thunderIDPort, insForgePort, insForgeControlPort, openIDConnectPort, dashboardPort]
        for port in ports.compactMap({ $0 }) where !(0...65_535).contains(port) {
            throw ValidationError("\(port) is no port. Use 0 to 65535.")
        }
        // The longest is ten years, in seconds.
        if let accessTokenLifetime, !(1...315_360_000).contains(accessTokenLifetime) {
            throw ValidationError("--access-token-lifetime takes 1 to 315360000 seconds.")
        }
    }

    func run() async throws {
        let terminal = Terminal()
        if schema { return try terminal.json(ServeSetup.schema) }
        do {
            try await serve(on: terminal)
        } catch let error where !(error is OutputError || error is Interrupted) {
            terminal.note("identity serve: \((error as? any IdentityFailure)?.message ?? "\(error)")")
            throw ExitStatus(of: error).code
        }
    }

    private func serve(on terminal: Terminal) async throws {
        let data = try data.map { path in try ServeData(at: path) { terminal.note($0) } }
        // A password prompt that is given up must not leave the terminal without its echo.
        var setup = try await StopSignal().interrupting { [people] in
            try await people.setup(kept: data?.kept?.setup, keyboard: Keyboard(), terminal: terminal)
        }
        if data != nil { setup.settleKeys(as: data?.kept?.setup) }
        let stop = StopSignal()
        let servers = try await RunningServers.start(
            RunningServers.Start(
                setup: setup, ports: (data?.kept?.ports ?? [:]).merging(askedPorts) { $1 },
                insForgeControlPort: insForgeControlPort, accessTokenLifetime: accessTokenLifetime, data: data))
        try data?.keep(ServeData.Record(ports: servers.ports, setup: setup))
        let announcement = ServeAnnouncement(
            setup: setup, servers: servers, dashboard: servers.dashboard.url, data: data?.path,
            configuration: servers.configuration(store: data?.sessions ?? Self.passingFolder))
        if let configuration {
            try PrivateDocument.replace(try announcement.configuration.document, at: configuration)
        }
        try output.json ? announcement.printJSON(on: terminal) : announcement.print(on: terminal)
        terminal.note("Press Ctrl-C to stop.")
        await stop.wait()
        await servers.stop()
        terminal.note("Stopped.")
    }

    /// The ports of the command line, by what listens there.
    private var askedPorts: [String: Int] {
        let ports = [
            ServeSetup.Server.thunderid.rawValue: thunderIDPort, ServeSetup.Server.insforge.rawValue: insForgePort,
            ServeSetup.Server.oidc.rawValue: openIDConnectPort, RunningServers.dashboardKey: dashboardPort,
        ]
        return ports.compactMapValues { $0 }
    }

    /// A folder of this run: servers that forget everything when they stop leave no session that is worth anything.
    private static var passingFolder: String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("identity-serve-\(UUID().uuidString.prefix(8))").path
    }
}

extension ServeSetup {
    /// Keys that are random by default are the same in the next start.
    fileprivate mutating func settleKeys(as kept: ServeSetup?) {
        let fresh = LocalInsForgeServer.Configuration()
        var project = insforge ?? InsForge()
        project.anonKey = project.anonKey ?? kept?.insforge?.anonKey ?? fresh.anonKey
        project.apiKey = project.apiKey ?? kept?.insforge?.apiKey ?? Secret(fresh.apiKey)
        insforge = project
    }
}
