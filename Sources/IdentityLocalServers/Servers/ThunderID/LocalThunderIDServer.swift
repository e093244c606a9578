import Foundation
import IdentityKit

/// A local ThunderID server over HTTP on 127.0.0.1 with all data in memory: sign-in flows, OAuth 2.0 and OpenID
/// Connect, and the user's own record.
///
/// Responses are those of `Documentation/Backends/ThunderID.md`, so a client that works here works with the real
/// server; recorded sessions with a real server are replayed against it. ``Configuration/signIn`` and
/// ``Configuration/registration`` define the flows; ``messages`` has what the server sends to people. Not included: the
/// Console, encrypted tokens and administration.
///
/// Two paths are not ThunderID's: `GET /api/resource` stands for an API that requires an access token, and
/// `GET /upstream/authorize` for another identity provider.
public final class LocalThunderIDServer: LocalServer {
    /// The parts that all local servers share.
    public let core: LocalServerCore<ThunderIDBackend>

    /// Creates a server from its running parts.
    public init(core: LocalServerCore<ThunderIDBackend>) { self.core = core }

    var directory: ThunderIDUserDirectory { backend.users }

    /// Changes users. `body` can also revoke all tokens of a user.
    /// - Throws: if the state cannot be saved.
    func changeUsers(_ body: (ThunderIDUserDirectory, _ revoke: (String) -> Void) throws -> Void) throws {
        try core.change { backend in try body(backend.users) { backend.revokeFamilies(ofUser: $0) } }
    }

    /// The base address of every endpoint.
    public var url: URL { URL(string: backend.baseURL) ?? http.url }

    /// The `iss` of every token: ``url`` unless configured.
    public var issuer: String { backend.issuer }

    public var application: Application { configuration.application }

    /// The initial user.
    public var user: User { configuration.user }

    /// The messages that were sent, oldest first: codes, magic links, invitations and recovery links.
    public var messages: [Message] { backend.outbox.messages }

    /// The number of single sign-on sessions.
    public var sessionCount: Int { backend.sessions.count }

    /// An access token with the permissions of an administrator, for `USER_ONBOARDING`.
    /// - Throws: if the token cannot be signed.
    public func administratorToken() throws -> Secret { Secret(try backend.tokens.administratorToken()) }

    /// Makes a new key, which signs from now on. Earlier keys stay published, so that earlier tokens still verify.
    /// - Throws: if an RSA key cannot be made.
    public func rotateSigningKey() throws { try core.change { try $0.keyRing.signing.rotate() } }

    /// Revokes one token family, by its claim `tfid`.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes every token family.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    /// Revokes all token families of a user, as an administrator can.
    public func revokeFamilies(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Makes a user inactive, so that sign-ins treat the user as unknown (Backends/ThunderID.md#failures-inside-a-flow).
    public func deactivateUser(id: String) { core.changeNow { $0.users.setActive(false, ofUser: id) } }
}

extension LocalThunderIDServer {
    /// Counts of events since the start.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        public internal(set) var codesIssued = 0
        /// Refresh tokens exchanged, including those within the rotation grace.
        public internal(set) var refreshes = 0
        /// Spent refresh tokens and codes that were used again.
        public internal(set) var replays = 0
        /// Token families that were revoked, for any reason.
        public internal(set) var familiesRevoked = 0
    }
}
