import Foundation
import IdentityKit

/// The clients that registered themselves.
struct OpenIDRegistrations: Sendable {
    /// A client, with what its registration is read, changed and deleted with.
    struct Registration: Sendable {
        var client: LocalOpenIDConnectServer.Client
        let issuedAt: Date
        var accessToken: String
        /// What the client said of itself.
        var metadata: [String: JSONValue]
    }

    private let registered = Locked<[String: Registration]>([:])

    func client(_ id: String) -> LocalOpenIDConnectServer.Client? { registered.withLock { $0[id]?.client } }

    var count: Int { registered.withLock { $0.count } }

    func add(_ registration: Registration) {
        registered.withLock { $0[registration.client.id] = registration }
    }

    /// The registration that a token of its own gives access to.
    func registration(_ id: String, accessToken: String?) -> Registration? {
        registered.withLock { $0[id] }.flatMap { $0.accessToken == accessToken ? $0 : nil }
    }

    func remove(_ id: String) {
        registered.withLock { _ = $0.removeValue(forKey: id) }
    }

    func removeAll() {
        registered.withLock { $0.removeAll() }
    }
}
