import IdentityKit

/// A client that can be added and changed while the server runs.
protocol EditableClient: Sendable {
    associatedtype GrantType: RawRepresentable<String>, CaseIterable, Hashable

    /// Creates a public client with the server's default settings.
    init(clientID: String)

    var clientID: String { get }
    var name: String { get set }
    var redirectURIs: [String] { get set }
    var grantTypes: Set<GrantType> { get set }
    /// Whether the client is public or sends its secret. Forms do not change any other authentication, such as a signed
    /// assertion.
    var hasUsualAuthentication: Bool { get }
    /// The secret that the client sends; `nil` for a public client, and for one without ``hasUsualAuthentication``.
    var secret: Secret? { get set }
}

struct ClientChange: Codable, Sendable, Equatable {
    var id: String
    var name: String
    /// The new secret; `nil` for a public client. Not applied to a client without `hasUsualAuthentication`.
    var secret: Secret?
    var redirectURIs: [String]
    var grantTypes: [String]

    fileprivate func applied<Client: EditableClient>(to client: Client) -> Client {
        var client = client
        client.name = name
        client.redirectURIs = redirectURIs
        client.grantTypes = Set(grantTypes.compactMap(Client.GrantType.init))
        if client.hasUsualAuthentication { client.secret = secret }
        return client
    }
}

struct ClientChanges: Codable, Sendable {
    var changes: [ClientChange] = []
    var removed: Set<String> = []
}

/// The clients of the configuration, with the changes made while the server ran.
final class ClientDirectory<Client: EditableClient>: Sendable {
    private let configured: [Client]
    private let state: Locked<ClientChanges>

    /// - Parameter saved: the changes of an earlier run of the server, which are applied again; `nil` for none.
    init(_ configured: [Client], restoring saved: ClientChanges? = nil) {
        self.configured = configured
        state = Locked(saved ?? ClientChanges())
    }

    var saved: ClientChanges { state.withLock { $0 } }

    /// Every client, those of the configuration first.
    var all: [Client] {
        let state = saved
        let known = configured.filter { !state.removed.contains($0.clientID) }
        let changed = known.map { client in
            state.changes.first { $0.id == client.clientID }?.applied(to: client) ?? client
        }
        let added = state.changes.filter { change in !known.contains { $0.clientID == change.id } }
        return changed + added.map { $0.applied(to: Client(clientID: $0.id)) }
    }

    func client(_ id: String) -> Client? { all.first { $0.clientID == id } }

    func put(_ change: ClientChange) {
        state.withLock { state in
            state.changes.removeAll { $0.id == change.id }
            state.changes.append(change)
        }
    }

    func remove(_ id: String) {
        state.withLock { state in
            state.changes.removeAll { $0.id == id }
            if configured.contains(where: { $0.clientID == id }) { state.removed.insert(id) }
        }
    }
}
