import Foundation
import IdentityKit

extension ServeSetup {
    /// Checks the rules that the document's types cannot express, such as unique user names.
    /// - Throws: `ConfigurationError.invalidValue` with the key path of the first mistake.
    func check() throws {
        for (index, user) in (users ?? []).enumerated() { try user.check(at: "users[\(index)]") }
        for server in Server.allCases { try checkThatUsersDiffer(at: server) }
        try Self.checkClients(
            (thunderid?.applications ?? []).map { ($0.clientID, $0.redirectURIs) }, at: "thunderid.applications")
        try Self.checkClients((oidc?.clients ?? []).map { ($0.clientID, $0.redirectURIs) }, at: "oidc.clients")
        if let key = insforge?.anonKey, !key.hasPrefix("anon_") || key.count < 10 {
            throw ConfigurationError.invalidValue(
                keyPath: "insforge.anonKey", reason: "It must begin with \"anon_\" and have at least 10 characters.")
        }
        if let key = insforge?.apiKey?.reveal(), !key.hasPrefix("ik_") || key.count < 8 {
            throw ConfigurationError.invalidValue(
                keyPath: "insforge.apiKey", reason: "It must begin with \"ik_\" and have at least 8 characters.")
        }
    }

    /// Checks that no two users of `server` have the same user name, e-mail address or identifier.
    private func checkThatUsersDiffer(at server: Server) throws {
        var taken: Set<String> = []
        for (index, user) in (users ?? []).enumerated() where user.isAt(server) {
            let values = [
                ("username", user.username), ("email", user.address.lowercased()), ("id", user.identifier(at: server)),
            ]
            for (key, value) in values where !taken.insert("\(key) \(value)").inserted {
                throw ConfigurationError.invalidValue(
                    keyPath: "users[\(index)].\(key)",
                    reason: "\"\(value)\" belongs to another user of \(server.rawValue) already.")
            }
        }
    }

    private static func checkClients(_ clients: [(id: String, redirectURIs: [String])], at keyPath: String) throws {
        var taken: Set<String> = []
        for (index, client) in clients.enumerated() {
            try checkText(client.id, at: "\(keyPath)[\(index)].clientID")
            guard taken.insert(client.id).inserted else {
                throw ConfigurationError.invalidValue(
                    keyPath: "\(keyPath)[\(index)].clientID", reason: "\"\(client.id)\" is used twice.")
            }
            guard !client.redirectURIs.isEmpty else {
                throw ConfigurationError.invalidValue(
                    keyPath: "\(keyPath)[\(index)].redirectURIs", reason: "Name at least one address.")
            }
            for (place, address) in client.redirectURIs.enumerated() where !isRedirectURI(address) {
                throw ConfigurationError.invalidValue(
                    keyPath: "\(keyPath)[\(index)].redirectURIs[\(place)]",
                    reason: "\"\(address)\" is not an absolute address without a fragment.")
            }
        }
    }

    /// Returns whether the text is an absolute URI without a fragment, as a redirect URI must be (RFC 6749 section 3.1.2).
    static func isRedirectURI(_ text: String) -> Bool {
        URLComponents(string: text).map { $0.scheme != nil && $0.fragment == nil } ?? false
    }

    fileprivate static func checkText(_ text: String, at keyPath: String) throws {
        guard !text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
            throw ConfigurationError.invalidValue(keyPath: keyPath, reason: "It is empty.")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw ConfigurationError.invalidValue(keyPath: keyPath, reason: "It has control characters.")
        }
    }
}

extension ServeSetup.User {
    fileprivate func check(at keyPath: String) throws {
        try ServeSetup.checkText(username, at: "\(keyPath).username")
        try ServeSetup.checkText(password.reveal(), at: "\(keyPath).password")
        if let email {
            let parts = email.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw ConfigurationError.invalidValue(
                    keyPath: "\(keyPath).email", reason: "\"\(email)\" is not an e-mail address.")
            }
        }
        if let id { try ServeSetup.checkText(id, at: "\(keyPath).id") }
        if let servers, servers.isEmpty {
            throw ConfigurationError.invalidValue(
                keyPath: "\(keyPath).servers", reason: "Name at least one server, or leave it out for all.")
        }
    }

    /// Returns whether the user exists at the server; `true` for a user without a list of servers in the document.
    func isAt(_ server: ServeSetup.Server) -> Bool { servers?.contains(server) ?? true }

    var address: String { email ?? (username.contains("@") ? username : "\(username)@example.org") }

    /// Returns the subject identifier at a server: the configured `id`, or else one derived from the server and the user name,
    /// so that it is the same in every run.
    func identifier(at server: ServeSetup.Server) -> String {
        if let id { return id }
        var bytes = Array(sha256(Data("identity serve/\(server.rawValue)/\(username)".utf8)).prefix(16))
        // Set the version and variant bits of a custom UUID, version 8 (RFC 9562 section 5.8).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }
}
