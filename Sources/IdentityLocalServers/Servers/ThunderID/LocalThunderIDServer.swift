import Foundation
import IdentityKit

/// A local ThunderID server: sign-in flows, OAuth 2.0 and OpenID Connect, and the user's own record, over HTTP on
/// 127.0.0.1, with everything in memory.
///
/// Responses are those of `Documentation/Backends/ThunderID.md`, so a client that works here works there; recorded
/// sessions with a real server are replayed against it. Flows are put together with ``Configuration/signIn`` and
/// ``Configuration/registration``; what the server sends to people is in ``messages``. Left out: the Console, encrypted
/// tokens and administration.
///
/// Two paths are not ThunderID's: `GET /api/resource` stands for an API that requires an access token, and
/// `GET /upstream/authorize` for another identity provider.
public final class LocalThunderIDServer: LocalServer {
    /// The running parts of the server.
    public let core: LocalServerCore<ThunderIDBackend>

    /// Makes the server of what runs.
    public init(core: LocalServerCore<ThunderIDBackend>) { self.core = core }

    var directory: ThunderIDUserDirectory { backend.users }

    /// Changes users, and may revoke all tokens of one.
    /// - Throws: when the state cannot be saved.
    func changeUsers(_ body: (ThunderIDUserDirectory, _ revoke: (String) -> Void) throws -> Void) throws {
        try core.change { backend in try body(backend.users) { backend.revokeFamilies(ofUser: $0) } }
    }

    /// The address at which the server listens, the base URL of every endpoint.
    public var url: URL { URL(string: backend.baseURL) ?? http.url }

    /// The `iss` of every token: ``url`` unless configured.
    public var issuer: String { backend.issuer }

    public var application: Application { configuration.application }

    /// The user that exists from the start.
    public var user: User { configuration.user }

    /// The messages that were sent, oldest first: codes, magic links, invitations and recovery links.
    public var messages: [Message] { backend.outbox.messages }

    /// How many single sign-on sessions there are.
    public var sessionCount: Int { backend.sessions.count }

    /// An access token with the permissions of an administrator, for `USER_ONBOARDING`.
    /// - Throws: when it cannot be signed.
    public func administratorToken() throws -> Secret { Secret(try backend.tokens.administratorToken()) }

    /// Signs with a new key from now on. The old ones stay published, so earlier tokens still verify.
    /// - Throws: when no RSA key can be made.
    public func rotateSigningKey() throws { try core.change { try $0.keyRing.signing.rotate() } }

    /// Revokes one token family, by its claim `tfid`.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes every token family.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    /// Revokes every token family of the user with this id, as an administrator can.
    public func revokeFamilies(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Makes sign-in treat the user with this id as unknown, as any state but active does
    /// (Backends/ThunderID.md#failures-inside-a-flow).
    public func deactivateUser(id: String) { core.changeNow { $0.users.setActive(false, ofUser: id) } }
}

extension LocalThunderIDServer {
    /// How often something happened since the start.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, those inside the rotation grace included.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were presented again.
        public internal(set) var replays = 0
        /// Token families revoked, for whatever reason.
        public internal(set) var familiesRevoked = 0
    }
}
