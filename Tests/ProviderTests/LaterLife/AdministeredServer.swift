import Foundation
import IdentityKit

@testable import IdentityLocalServers

/// A local server as its administrators change it while it runs.
protocol AdministeredServer: Sendable {
    /// Deletes a person, with everything that is theirs.
    /// - Throws: when the state cannot be saved, as all of these.
    func removePerson(_ id: String) throws

    func setPassword(_ password: Secret, ofPerson id: String) throws

    /// Deletes every client, those that registered themselves included.
    func removeClients() throws

    /// A copy of what a restart continues with.
    /// - Throws: when the system does not return a private key.
    func copy() throws -> Data

    /// Continues as after a restart, at the same address.
    /// - Parameter copy: a copy, new or old; `nil` for a server that has lost everything but its configuration.
    /// - Throws: when the copy cannot be used, or no key can be made.
    func restart(from copy: Data?) throws
}

extension AdministeredServer where Self: LocalServer {
    func copy() throws -> Data { try core.copy() }

    func restart(from copy: Data?) throws { try core.restart(from: copy) }
}

extension LocalOpenIDConnectServer: AdministeredServer {
    func removePerson(_ id: String) throws { try removeUser(id) }

    func setPassword(_ password: Secret, ofPerson id: String) throws {
        guard var record = directory.all.first(where: { $0.user.id == id }) else { return }
        record.user.password = password
        _ = try put(record)
    }

    func removeClients() throws {
        try changeClients { clients in clients.all.forEach { clients.remove($0.clientID) } }
        forgetRegisteredClients()
    }
}

extension LocalThunderIDServer: AdministeredServer {
    func removePerson(_ id: String) throws {
        try changeUsers { users, revoke in
            revoke(id)
            users.remove(id: id)
        }
    }

    func setPassword(_ password: Secret, ofPerson id: String) throws {
        try changeUsers { users, _ in users.setPassword(password, ofUser: id) }
    }

    func removeClients() throws {
        try changeClients { clients in clients.all.forEach { clients.remove($0.clientID) } }
    }
}

extension LocalInsForgeServer: AdministeredServer {
    func removePerson(_ id: String) throws {
        try changeUsers { users, _ in users.remove(id: id) }
    }

    func setPassword(_ password: Secret, ofPerson id: String) throws {
        try changeUsers { users, now in
            _ = users.update(id: id, at: now) { $0.setPassword(password.reveal()) }
        }
    }

    /// A project has no clients.
    func removeClients() {}
}
