import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

struct ServeSetupOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A JSON document with users and clients; - for standard input.", valueName: "file"))
    var users: String?

    @Option(
        name: .customLong("user"),
        help: ArgumentHelp(
            """
            A user of all servers, as name[:password[:email]]. Without the password the tool asks for it, or reads a line \
            of standard input. Other users of this machine can see a command line. May be repeated.
            """, valueName: "user"))
    var namedUsers: [String] = []

    @Option(
        name: .customLong("client"),
        help: ArgumentHelp(
            "A public client of ThunderID and OpenID Connect, as id=redirect-uri. May be repeated.",
            valueName: "client"))
    var namedClients: [String] = []

    func validate() throws {
        for user in namedUsers {
            let parts = user.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 3, parts.allSatisfy({ !$0.isEmpty }) else {
                // Do not quote the text in the error, because it may contain a password.
                throw ValidationError(
                    "A --user is written name[:password[:email]]. Put a password with a colon into a file.")
            }
        }
        for client in namedClients {
            let (id, uri) = Self.parts(of: client)
            guard !id.isEmpty, ServeSetup.isRedirectURI(uri) else {
                throw ValidationError("\"\(client)\" is not a client. Write it as id=redirect-uri.")
            }
        }
        guard users != "-" || !namedUsers.contains(where: { !$0.contains(":") }) else {
            throw ValidationError("Standard input holds either the document or a password. Put one of them elsewhere.")
        }
    }

    /// Returns the document of `--users`, or else `kept`, with the users and clients of `--user` and `--client` added. An
    /// added user replaces a user with the same name.
    /// - Parameter kept: the document of the last start with `--data`; `nil` if there is none.
    /// - Throws: ``ServeSetupError`` for the document of `--users`, `ConfigurationError` for a mistake in the result,
    ///   `TerminalPromptError.inputEnded` when standard input ends before a password, or `CancellationError`.
    func setup(kept: ServeSetup?, in call: ToolCall) async throws -> ServeSetup {
        var setup = kept ?? ServeSetup()
        if let users { setup = try await ServeSetup(contentsOf: users, in: call) }
        let added = try await addedUsers(call.keyboard(), call.terminal)
        if !added.isEmpty {
            let names = Set(added.map(\.username))
            setup.users = (setup.users ?? []).filter { !names.contains($0.username) } + added
        }
        for client in namedClients { setup.add(Self.parts(of: client)) }
        try setup.check()
        return setup
    }

    private func addedUsers(_ keyboard: Keyboard, _ terminal: Terminal) async throws -> [ServeSetup.User] {
        var added: [ServeSetup.User] = []
        for text in namedUsers {
            let parts = text.split(separator: ":").map(String.init)
            let password = parts.count > 1 ? parts[1] : try await password(of: parts[0], keyboard, terminal)
            added.append(
                ServeSetup.User(
                    username: parts[0], password: Secret(password), email: parts.count > 2 ? parts[2] : nil))
        }
        return added
    }

    private func password(of name: String, _ keyboard: Keyboard, _ terminal: Terminal) async throws -> String {
        try await keyboard.line(echo: false) {
            if keyboard.isInteractive { terminal.ask("Password of \(name): ") }
        } ended: {
            terminal.note("")
        }
    }

    private static func parts(of client: String) -> (id: String, redirectURI: String) {
        let parts = client.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : "")
    }
}

extension ServeSetup {
    /// Adds a client to ThunderID and OpenID Connect. If a server has the client already, adds the redirect URI to it.
    fileprivate mutating func add(_ client: (id: String, redirectURI: String)) {
        var applications = thunderid?.applications ?? []
        if let index = applications.firstIndex(where: { $0.clientID == client.id }) {
            applications[index].redirectURIs.addOnce(client.redirectURI)
        } else {
            applications.append(.init(clientID: client.id, redirectURIs: [client.redirectURI]))
        }
        thunderid = ThunderID(applications: applications)
        var clients = oidc?.clients ?? []
        if let index = clients.firstIndex(where: { $0.clientID == client.id }) {
            clients[index].redirectURIs.addOnce(client.redirectURI)
        } else {
            clients.append(.init(clientID: client.id, redirectURIs: [client.redirectURI]))
        }
        oidc = OpenIDConnect(clients: clients)
    }
}

extension [String] {
    fileprivate mutating func addOnce(_ element: String) {
        if !contains(element) { append(element) }
    }
}
