import Foundation
import IdentityKit

/// The clients of the configuration, and how they were changed while the server ran.
final class OpenIDClientDirectory: Sendable {
    /// A client that was added or changed, as it is saved.
    struct Change: Codable, Sendable, Equatable {
        var id: String
        var name: String
        /// `nil` for a public client.
        var secret: Secret?
        var redirectURIs: [String]
        var grantTypes: [String]
    }

    /// All changes, as they are saved.
    struct Saved: Codable, Sendable {
        var changes: [Change] = []
        var removed: Set<String> = []
    }

    private let configured: [LocalOpenIDConnectServer.Client]
    private let state: Locked<Saved>

    /// - Parameter saved: the changes of an earlier start.
    init(_ configured: [LocalOpenIDConnectServer.Client], restoring saved: Saved? = nil) {
        self.configured = configured
        state = Locked(saved ?? Saved())
    }

    var saved: Saved { state.withLock { $0 } }

    /// Every client, those of the configuration first.
    var all: [LocalOpenIDConnectServer.Client] {
        let state = saved
        let known = configured.filter { !state.removed.contains($0.id) }
        let changed = known.map { client in state.changes.first { $0.id == client.id }?.applied(to: client) ?? client }
        let added = state.changes.filter { change in !known.contains { $0.id == change.id } }
        return changed + added.map { $0.applied(to: LocalOpenIDConnectServer.Client(id: $0.id)) }
    }

    func client(_ id: String) -> LocalOpenIDConnectServer.Client? { all.first { $0.id == id } }

    /// Adds a client, or changes the one with the same identifier.
    func put(_ change: Change) {
        state.withLock { state in
            state.changes.removeAll { $0.id == change.id }
            state.changes.append(change)
        }
    }

    func remove(_ id: String) {
        state.withLock { state in
            state.changes.removeAll { $0.id == id }
            if configured.contains(where: { $0.id == id }) { state.removed.insert(id) }
        }
    }
}

extension OpenIDClientDirectory.Change {
    /// The client with this change. Ways of authentication that a form does not offer stay as they are.
    fileprivate func applied(to client: LocalOpenIDConnectServer.Client) -> LocalOpenIDConnectServer.Client {
        var client = client
        client.name = name
        client.redirectURIs = redirectURIs
        client.grantTypes = Set(grantTypes.compactMap(LocalOpenIDConnectServer.Client.GrantType.init))
        switch client.authentication {
        case .none, .basic: client.authentication = secret.map { .basic($0) } ?? .none
        case .post: client.authentication = secret.map { .post($0) } ?? .none
        case .privateKeyJWT, .signedSecret, .federated: break
        }
        return client
    }
}
