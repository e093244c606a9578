import Foundation
import IdentityKit

/// A local OpenID Connect server over HTTP on 127.0.0.1 with all data in memory: discovery, authorization with sign-in
/// and consent pages, all grants that this package's clients use, user info and sign-out.
///
/// It conforms to the specifications, unless ``misbehave(_:)`` makes it break a rule, or ``vary(_:)`` makes it vary as
/// real servers do. `GET /api/resource` stands for an API that requires an access token. ``LocalServer/url`` is the
/// server's address without ``Configuration/path``.
public final class LocalOpenIDConnectServer: LocalServer {
    /// The parts that all local servers share.
    public let core: LocalServerCore<OpenIDBackend>

    /// Creates a server from its running parts.
    public init(core: LocalServerCore<OpenIDBackend>) { self.core = core }

    /// The issuer identifier, exactly as in tokens and discovery.
    public var issuer: String { backend.issuer }

    public var client: Client { configuration.clients.first ?? .publicApp }

    public var user: User { configuration.users.first ?? User() }

    /// The nonce that DPoP proofs should contain now (RFC 9449 section 8).
    public var dpopNonce: String { backend.dpop.currentNonce() }

    /// Makes the server break another rule from now on.
    public func misbehave(_ misbehaviour: Misbehaviour) {
        backend.behaviour.withLock { _ = $0.misbehaviours.insert(misbehaviour) }
    }

    /// Makes the protected resource break another rule from now on.
    public func misbehave(_ misbehaviour: ResourceMisbehaviour) {
        backend.behaviour.withLock { _ = $0.resource.insert(misbehaviour) }
    }

    /// Makes a server with tenants break another rule from now on.
    public func misbehave(_ misbehaviour: TenantMisbehaviour) {
        backend.behaviour.withLock { _ = $0.tenants.insert(misbehaviour) }
    }

    /// Adds another fault to token responses from now on.
    public func misbehave(_ fault: TokenFault) { backend.behaviour.withLock { _ = $0.tokenFaults.insert(fault) } }

    /// The address of the protected resource (RFC 9728). Reading needs the scope `read`, writing `write`, and `private`
    /// below it a recent sign-in.
    public var resource: URL { http.url.appendingPathComponent("api/notes") }

    /// Adds another variation from now on.
    public func vary(_ variation: Variation) { backend.behaviour.withLock { _ = $0.variations.insert(variation) } }

    /// Removes all misbehaviours, faults and variations.
    public func behave() { backend.behaviour.withLock { $0 = OpenIDBehaviour() } }

    /// Signs with a new key from now on (OpenID Connect Core section 10.1.1).
    /// - Parameter withdrawing: whether to remove earlier keys from the set, so that earlier tokens no longer verify.
    /// - Throws: if a key cannot be made.
    public func rotateSigningKey(withdrawing: Bool = false) throws {
        try core.change { try $0.keyRing.ring.rotate(withdrawing: withdrawing) }
    }

    /// Revokes all tokens of one sign-in, by its identifier in ``LocalServer/report``.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes all tokens of all sign-ins.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    var directory: OpenIDUserDirectory { backend.users }

    /// Adds or changes a user. Disabling a user ends the user's tokens and sessions.
    /// - Returns: false when another user has the user name.
    /// - Throws: when the state cannot be saved.
    func put(_ record: OpenIDUserDirectory.Record) throws -> Bool {
        var isDone = false
        try core.change { backend in
            isDone = backend.users.put(record)
            if isDone, !record.isActive { backend.endEverything(ofUser: record.user.id) }
        }
        return isDone
    }

    /// Removes a user, with all tokens and sessions.
    /// - Throws: when the state cannot be saved.
    func removeUser(_ id: String) throws {
        try core.change { backend in
            backend.endEverything(ofUser: id)
            backend.users.remove(id)
        }
    }

    /// Revokes all tokens of the user with this subject identifier, as an administrator can.
    public func revokeTokens(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Forgets all clients that registered themselves, like a server that has lost its data.
    public func forgetRegisteredClients() { core.changeNow { $0.registrations.removeAll() } }

    /// The number of clients that registered themselves.
    public var registeredClients: Int { backend.registrations.count }
}

extension LocalOpenIDConnectServer {
    /// Counts of events since the start.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        /// Passwords accepted at the sign-in page.
        public internal(set) var signIns = 0
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, including those within the rotation grace.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were used again.
        public internal(set) var replays = 0
        /// Sign-ins whose tokens were revoked, for any reason.
        public internal(set) var familiesRevoked = 0
        /// Polls of devices that were too fast.
        public internal(set) var slowDowns = 0
        public internal(set) var signOuts = 0
        /// Clients that registered themselves.
        public internal(set) var registrations = 0
    }
}
