import Foundation
import IdentityKit

/// What `identity serve` tells when everything has started: who can sign in where, and a configuration.
///
/// No password of anybody but the well-known users is in it, and no secret of a client.
struct ServeAnnouncement {
    let setup: ServeSetup
    let servers: RunningServers
    let dashboard: URL
    /// The folder of `--data`.
    let data: String?
    let configuration: IdentityConfiguration

    /// Prints it for a person.
    func print(on terminal: Terminal) throws {
        for server in ServeSetup.Server.allCases {
            try terminal.line("\(server.title)\(servers.url(of: server))  \(people(at: server))")
        }
        try terminal.line("Dashboard       \(dashboard)")
        let application = servers.thunderID.application.id
        try terminal.line(
            "Application     \(application)  for ThunderID's pages: SignIn(applicationId: \"\(application)\")")
        if let control = servers.controlURL(of: .insforge) {
            try terminal.line("Control         \(control)  steers InsForge")
        }
        try terminal.line()
        try terminal.json(configuration)
    }

    /// Prints it for a program.
    func printJSON(on terminal: Terminal) throws {
        let members = ServeSetup.Server.allCases.map { server in
            (
                server.rawValue,
                Document.Server(
                    url: servers.url(of: server),
                    applicationId: server == .thunderid ? servers.thunderID.application.id : nil,
                    control: servers.controlURL(of: server), users: setup.names(at: server))
            )
        }
        try terminal.json(
            Document(
                servers: Dictionary(members) { $1 }, dashboard: dashboard, data: data, configuration: configuration))
    }

    private struct Document: Encodable {
        struct Server: Encodable {
            let url: URL
            /// What the pages of ThunderID's SDK are given, in its word.
            let applicationId: String?
            /// Where tests can steer the server.
            let control: URL?
            let users: [String]
        }

        let servers: [String: Server]
        let dashboard: URL
        let data: String?
        let configuration: IdentityConfiguration
    }

    private func people(at server: ServeSetup.Server) -> String {
        let names = setup.names(at: server)
        if let password = setup.wellKnownPassword(at: server) { return "user \(names[0]), password \(password)" }
        guard !names.isEmpty else { return "nobody can sign in yet" }
        let shown = names.prefix(4).joined(separator: ", ")
        let rest = names.count > 4 ? " and \(names.count - 4) more" : ""
        return (names.count == 1 ? "user " : "users ") + shown + rest
    }
}

extension ServeSetup.Server {
    /// The name for people, with the space that follows it.
    fileprivate var title: String {
        switch self {
        case .thunderid: "ThunderID       "
        case .insforge: "InsForge        "
        case .oidc: "OpenID Connect  "
        }
    }
}
