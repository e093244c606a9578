import Foundation
import IdentityKit

/// A local OpenID Connect server over HTTP on 127.0.0.1 with all data in memory: discovery, authorization with sign-in
/// and consent pages, all grants that this package's clients use, user info and sign-out.
///
/// It conforms to the specifications, unless ``misbehave(_:)`` makes it break a rule, or ``vary(_:)`` makes it vary as
/// real servers do. `GET /api/resource` stands for an API that requires an access token. ``LocalServer/url`` is the
/// server's address without ``Configuration/path``.
public final class LocalOpenIDConnectServer: LocalServer {
    /// The parts that every local server has: the listener, the backend, the clock, and the saving of state.
    public let core: LocalServerCore<OpenIDBackend>

    /// Creates a server from its running parts, which ``LocalServer/start(port:configuration:time:)`` makes.
    public init(core: LocalServerCore<OpenIDBackend>) { self.core = core }

    /// The issuer identifier in tokens and metadata, unless a misbehaviour or variation changes it.
    public var issuer: String { backend.issuer }

    public var client: Client { configuration.clients.first ?? .publicApp }

    public var user: User { configuration.users.first ?? User() }

    /// Whether ``user`` can sign in with the configured password. A saved state or a change since the start may prevent it.
    package var acceptsUser: Bool { directory.user(named: user.username, password: user.password) != nil }

    /// The DPoP nonce that the server gives to clients now (RFC 9449 section 8).
    public var dpopNonce: String { backend.dpop.currentNonce() }

    /// Makes the server break this rule until ``behave()``, in addition to earlier misbehaviours.
    public func misbehave(_ misbehaviour: Misbehaviour) {
        backend.behaviour.withLock { _ = $0.misbehaviours.insert(misbehaviour) }
    }

    /// Makes the protected resource `/api/notes` break this rule until ``behave()``, in addition to earlier misbehaviours.
    public func misbehave(_ misbehaviour: ResourceMisbehaviour) {
        backend.behaviour.withLock { _ = $0.resource.insert(misbehaviour) }
    }

    /// Makes a server with ``Variation/tenantIssuers`` break this rule until ``behave()``, in addition to earlier
    /// misbehaviours.
    public func misbehave(_ misbehaviour: TenantMisbehaviour) {
        backend.behaviour.withLock { _ = $0.tenants.insert(misbehaviour) }
    }

    /// Adds this fault to token responses until ``behave()``, in addition to earlier faults.
    public func misbehave(_ fault: TokenFault) { backend.behaviour.withLock { _ = $0.tokenFaults.insert(fault) } }

    /// The address of the protected resource `/api/notes` (RFC 9728). Reading needs the scope `read`, and writing needs the
    /// scope `write`. The path `private` below the address needs a sign-in within the last five minutes.
    public var resource: URL { http.url.appendingPathComponent(configuration.path + "/api/notes") }

    /// Makes the server show this variation until ``behave()``, in addition to earlier variations.
    public func vary(_ variation: Variation) { backend.behaviour.withLock { _ = $0.variations.insert(variation) } }

    /// Removes all misbehaviours, faults and variations.
    public func behave() { backend.behaviour.withLock { $0 = OpenIDBehaviour() } }

    /// Signs with a new key from now on (OpenID Connect Core section 10.1.1).
    /// - Parameter withdrawing: whether to remove earlier keys from the key set, so that earlier ID tokens no longer verify.
    /// - Throws: an error if a key cannot be made or the state cannot be saved.
    public func rotateSigningKey(withdrawing: Bool = false) throws {
        try core.change { try $0.keyRing.ring.rotate(withdrawing: withdrawing) }
    }

    /// Revokes all tokens of one sign-in. `id` is the identifier of the sign-in's flow in ``LocalServer/report``.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes all tokens of all sign-ins, and those that clients got for themselves.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    var directory: OpenIDUserDirectory { backend.users }

    /// Adds or replaces a user. If the new record is disabled, the user's tokens are revoked and the user's sessions end.
    /// - Returns: false, without a change, if another user has the user name.
    /// - Throws: an error if the state cannot be saved. The change takes effect nevertheless.
    func put(_ record: OpenIDUserDirectory.Record) throws -> Bool {
        var isDone = false
        try core.change { backend in
            isDone = backend.users.put(record)
            if isDone, !record.isActive { backend.endEverything(ofUser: record.user.id) }
        }
        return isDone
    }

    /// Removes a user, revokes the user's tokens and ends the user's sessions.
    /// - Throws: an error if the state cannot be saved. The change takes effect nevertheless.
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
        /// Sign-ins on the sign-in and device pages, with a password or by a button.
        public internal(set) var signIns = 0
        public internal(set) var codesIssued = 0
        /// Successful exchanges of refresh tokens, including repeated ones within ``Configuration/rotationGrace``.
        public internal(set) var refreshes = 0
        /// Repeated uses of spent refresh tokens and authorization codes.
        public internal(set) var replays = 0
        /// Revoked token families. A family is all tokens of one sign-in, or of one grant without a sign-in, such as
        /// `client_credentials`.
        public internal(set) var familiesRevoked = 0
        /// Polls of devices that were refused with `slow_down`.
        public internal(set) var slowDowns = 0
        public internal(set) var signOuts = 0
        /// Successful client registrations (RFC 7591), including those deleted since.
        public internal(set) var registrations = 0
    }
}
