import Foundation
import IdentityKit
import IdentityTerminal

/// The output of `identity serve` after all servers have started: users, addresses and a configuration. The text output
/// contains only the passwords of the servers' default users, which are public. The JSON output contains no passwords.
struct ServeAnnouncement {
    let setup: ServeSetup
    let servers: RunningServers
    let dashboard: URL
    /// The absolute path of the folder given by `--data`; `nil` without that option.
    let data: String?
    let configuration: IdentityConfiguration

    func print(on terminal: Terminal) throws {
        for server in ServeSetup.Server.allCases {
            try terminal.line("\(server.title)\(servers.url(of: server))  \(people(at: server))")
        }
        try terminal.line("Dashboard       \(dashboard)")
        let application = servers.thunderID.application.id
        try terminal.line(
            "Application     \(application)  the applicationId that ThunderID's pages take")
        if let control = servers.insForge.controlURL {
            try terminal.line("Control         \(control)  controls InsForge")
        }
        try terminal.line()
        try terminal.json(configuration)
    }

    func printJSON(on terminal: Terminal) throws {
        let members = ServeSetup.Server.allCases.map { server in
            (
                server.rawValue,
                Document.Server(
                    url: servers.url(of: server),
                    applicationId: server == .thunderid ? servers.thunderID.application.id : nil,
                    control: server == .insforge ? servers.insForge.controlURL : nil,
                    users: servers.people(at: server).names)
            )
        }
        try terminal.json(
            Document(
                servers: Dictionary(members) { $1 }, dashboard: dashboard, data: data, configuration: configuration))
    }

    struct Document: Codable {
        struct Server: Codable {
            let url: URL
            /// The application's identifier in ThunderID's flow API, which apps with ThunderID's SDK need; `nil` for other
            /// servers.
            let applicationId: String?
            let control: URL?
            let users: [String]
        }

        let servers: [String: Server]
        let dashboard: URL
        let data: String?
        let configuration: IdentityConfiguration
    }

    private func people(at server: ServeSetup.Server) -> String {
        let (names, user) = servers.people(at: server)
        guard !names.isEmpty else { return "no users yet" }
        let shown = names.prefix(4).joined(separator: ", ")
        let rest = names.count > 4 ? " and \(names.count - 4) more" : ""
        let users = (names.count == 1 ? "user " : "users ") + shown + rest
        // Print only the password of the server's default user, not that of a user from the document or the command line.
        guard setup.users == nil, let user else { return users }
        return users + (names.count == 1 ? ", password " : ", password of \(user.name): ") + user.password
    }
}

extension ServeSetup.Server {
    /// The name, padded to 16 characters.
    fileprivate var title: String {
        switch self {
        case .thunderid: "ThunderID       "
        case .insforge: "InsForge        "
        case .oidc: "OpenID Connect  "
        }
    }
}
