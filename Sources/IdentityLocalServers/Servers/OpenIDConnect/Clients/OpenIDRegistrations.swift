import Foundation
import IdentityKit

struct OpenIDRegistrations: Sendable {
    /// A registered client, with the token for reading, changing and deleting its registration.
    struct Registration: Sendable {
        var client: LocalOpenIDConnectServer.Client
        let issuedAt: Date
        var accessToken: String
        /// The client metadata as the client last sent it, including members that this server ignores (RFC 7591 section 2).
        var metadata: [String: JSONValue]
    }

    struct Saved: Codable, Sendable {
        let id: String
        let secret: String?
        let issuedAt: Date
        let accessToken: String
        let metadata: [String: JSONValue]
    }

    private let registered: Locked<[String: Registration]>

    /// - Parameter saved: the registrations of an earlier run of the server. Registrations whose metadata the server no
    ///   longer accepts are dropped.
    init(restoring saved: [Saved] = []) {
        let known = saved.compactMap { saved -> Registration? in
            let client = try? LocalOpenIDConnectServer.Client(
                registered: saved.id, secret: saved.secret.map { Secret($0) }, saved.metadata)
            return client.map {
                Registration(
                    client: $0, issuedAt: saved.issuedAt, accessToken: saved.accessToken, metadata: saved.metadata)
            }
        }
        registered = Locked(Dictionary(known.map { ($0.client.id, $0) }, uniquingKeysWith: { $1 }))
    }

    var saved: [Saved] {
        registered.withLock { $0 }.values.map {
            Saved(
                id: $0.client.id, secret: $0.client.secret?.reveal(), issuedAt: $0.issuedAt,
                accessToken: $0.accessToken, metadata: $0.metadata)
        }
    }

    func client(_ id: String) -> LocalOpenIDConnectServer.Client? { registered.withLock { $0[id]?.client } }

    var count: Int { registered.withLock { $0.count } }

    func add(_ registration: Registration) { registered.withLock { $0[registration.client.id] = registration } }

    func registration(_ id: String, accessToken: String?) -> Registration? {
        registered.withLock { $0[id] }.flatMap { $0.accessToken == accessToken ? $0 : nil }
    }

    func remove(_ id: String) { registered.withLock { _ = $0.removeValue(forKey: id) } }

    func removeAll() { registered.withLock { $0.removeAll() } }
}
