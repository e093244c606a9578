import Foundation
import IdentityKit

/// A local ThunderID server over HTTP on 127.0.0.1 with all data in memory: sign-in flows, OAuth 2.0 and OpenID Connect,
/// and the endpoints with which users read and change their own record.
///
/// The responses are those that `Documentation/Backends/ThunderID.md` describes, so that a client of this server also
/// works with a real one. Tests replay recorded sessions of a real server against this server. ``Configuration/signIn``
/// and ``Configuration/registration`` define the flows. ``messages`` contains the messages to people. The server has no
/// Console, no encrypted tokens and no administration.
///
/// Some paths do not exist in ThunderID: `GET /api/resource` stands for an API that requires an access token,
/// `GET /upstream/authorize` for another identity provider, and `/gate/step` and `/gate/confirmed` belong to the hosted
/// pages of this server.
public final class LocalThunderIDServer: LocalServer {
    /// The listener, the backend, the clock and the saving of state, as in every local server.
    public let core: LocalServerCore<ThunderIDBackend>

    /// Creates a server from a running core. Tests and apps call `start(port:configuration:time:)` instead.
    public init(core: LocalServerCore<ThunderIDBackend>) { self.core = core }

    var directory: ThunderIDUserDirectory { backend.users }

    /// Changes users and saves the state. `body` can call `revoke` with a user's identifier to revoke all tokens of that
    /// user's sign-ins.
    /// - Throws: an error of `body`, or an error of saving the state.
    func changeUsers(_ body: (ThunderIDUserDirectory, _ revoke: (String) -> Void) throws -> Void) throws {
        try core.change { backend in try body(backend.users) { backend.revokeFamilies(ofUser: $0) } }
    }

    /// The base address of every endpoint, including the configured path prefix.
    public var url: URL { URL(string: backend.baseURL) ?? http.url }

    /// The `iss` of every token: ``url`` unless configured.
    public var issuer: String { backend.issuer }

    public var application: Application { configuration.application }

    /// The user of the configuration, without the changes made since the start.
    public var user: User { configuration.user }

    /// Whether ``user`` can sign in with the configured password. A saved state or a change since the start may prevent it.
    package var acceptsUser: Bool {
        directory.user(named: user.username).map { $0.isActive && $0.password == user.password } ?? false
    }

    /// The messages that were sent, oldest first: one-time codes, magic links, invitations, recovery links and sign-in
    /// requests.
    public var messages: [Message] { backend.outbox.messages }

    /// The number of single sign-on sessions that no sign-out has ended. Sessions do not expire.
    public var sessionCount: Int { backend.sessions.count }

    /// An access token with the permissions of an administrator, which flows of the type `USER_ONBOARDING` require.
    /// - Throws: an error if the token cannot be signed.
    public func administratorToken() throws -> Secret { Secret(try backend.tokens.administratorToken()) }

    /// Generates a new key, which signs from now on. Earlier keys stay published, so that earlier tokens still verify.
    /// - Throws: an error if the key or its certificate cannot be made, or the state cannot be saved.
    public func rotateSigningKey() throws { try core.change { try $0.keyRing.signing.rotate() } }

    /// Revokes one token family: the access tokens and refresh tokens of a sign-in, whose claim `tfid` is `id`. No effect
    /// if the family is unknown or revoked already.
    public func revokeFamily(_ id: String) {
        core.changeNow { $0.revokeFamily(id, because: "it was revoked at the server") }
    }

    /// Revokes every token family. Tokens without a family, such as those of client credentials and token exchanges, stay
    /// valid.
    public func revokeAllFamilies() { core.changeNow { $0.revokeFamilies() } }

    /// Revokes all token families of a user, as an administrator can.
    public func revokeFamilies(ofUser userID: String) { core.changeNow { $0.revokeFamilies(ofUser: userID) } }

    /// Makes a user inactive. Sign-ins then treat the user as unknown (Backends/ThunderID.md#failures-inside-a-flow), and
    /// refreshes fail with `invalid_grant`.
    public func deactivateUser(id: String) { core.changeNow { $0.users.setActive(false, ofUser: id) } }
}

extension LocalThunderIDServer {
    /// Counts of the server's events since its start, such as refreshes.
    public struct Counters: Sendable, Equatable, RevocationCounters {
        public internal(set) var codesIssued = 0
        /// Successful refreshes, including those with a spent refresh token within the rotation grace.
        public internal(set) var refreshes = 0
        /// Uses of spent refresh tokens and authorization codes. A refresh token within the rotation grace, or of a
        /// revoked token family, does not count.
        public internal(set) var replays = 0
        /// Token families that were revoked, for any reason.
        public internal(set) var familiesRevoked = 0
    }
}
