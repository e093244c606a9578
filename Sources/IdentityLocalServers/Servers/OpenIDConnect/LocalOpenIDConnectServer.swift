import Foundation
import IdentityKit

/// A local OpenID Connect server over HTTP on 127.0.0.1, with everything in memory: discovery, authorization with a
/// sign-in and a consent page, every grant a client here uses, user info and sign-out.
///
/// It conforms to the specifications until ``misbehave(_:)`` makes it break one rule, or ``vary(_:)`` makes it differ as
/// servers in the field do. `GET /api/resource` stands for an API that requires an access token. ``LocalServer/url`` is where
/// it listens, without ``Configuration/path``.
public final class LocalOpenIDConnectServer: LocalServer {
    /// The running parts of the server.
    public let core: LocalServerCore<OpenIDBackend>

    /// Makes the server of what runs.
    public init(core: LocalServerCore<OpenIDBackend>) { self.core = core }

    /// The issuer identifier, exactly as in tokens and discovery.
    public var issuer: String { backend.issuer }

    public var client: Client { configuration.clients.first ?? .publicApp }

    public var user: User { configuration.users.first ?? User() }

    /// The nonce a DPoP proof should carry now (RFC 9449 section 8).
    public var dpopNonce: String { backend.dpop.currentNonce() }

    /// Breaks one more rule from now on.
    public func misbehave(_ misbehaviour: Misbehaviour) {
        backend.behaviour.withLock { _ = $0.misbehaviours.insert(misbehaviour) }
    }

    /// Breaks one more rule of the protected resource from now on.
    public func misbehave(_ misbehaviour: ResourceMisbehaviour) {
        backend.behaviour.withLock { _ = $0.resource.insert(misbehaviour) }
    }

    /// Breaks one more rule of a server with many tenants from now on.
    public func misbehave(_ misbehaviour: TenantMisbehaviour) {
        backend.behaviour.withLock { _ = $0.tenants.insert(misbehaviour) }
    }

    /// Makes token responses odd in one more way from now on.
    public func misbehave(_ fault: TokenFault) { backend.behaviour.withLock { _ = $0.tokenFaults.insert(fault) } }

    /// The protected resource that describes itself (RFC 9728). Reading it needs the scope `read`, writing it `write`, and
    /// `private` below it a recent sign-in.
    public var resource: URL { http.url.appendingPathComponent("api/notes") }

    /// Differs in one more way from now on.
    public func vary(_ variation: Variation) { backend.behaviour.withLock { _ = $0.variations.insert(variation) } }

    /// Conforms again.
    public func behave() { backend.behaviour.withLock { $0 = OpenIDBehaviour() } }

    /// Signs with a new key from now on (OpenID Connect Core section 10.1.1).
    /// - Parameter withdrawing: whether the earlier keys leave the set, so that earlier tokens stop verifying.
    /// - Throws: when no key can be made.
    public func rotateSigningKey(withdrawing: Bool = false) throws {
        try core.change { try $0.keyRing.ring.rotate(withdrawing: withdrawing) }
    }

    /// Revokes everything of one sign-in. The families are in ``LocalServer/report``.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes everything of every sign-in.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    var directory: OpenIDUserDirectory { backend.users }

    /// Adds or changes a user. The tokens and sessions of one who is disabled end.
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

    /// Revokes everything the user with this subject identifier has, as an administrator can.
    public func revokeTokens(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Forgets every client that registered itself, as a server does that is restarted without its memory.
    public func forgetRegisteredClients() { core.changeNow { $0.registrations.removeAll() } }

    /// How many clients are registered that registered themselves.
    public var registeredClients: Int { backend.registrations.count }
}

extension LocalOpenIDConnectServer {
    /// How often something happened since the start.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        /// Passwords accepted at the sign-in page.
        public internal(set) var signIns = 0
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, those inside the rotation grace included.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were presented again.
        public internal(set) var replays = 0
        /// Sign-ins whose tokens were revoked, for whatever reason.
        public internal(set) var familiesRevoked = 0
        /// Polls of devices that were too fast.
        public internal(set) var slowDowns = 0
        public internal(set) var signOuts = 0
        /// Clients that registered themselves.
        public internal(set) var registrations = 0
    }
}
