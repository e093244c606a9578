/// A backend's side of its sessions: where they come from, and how their tokens are refreshed and revoked.
public struct SessionBackend: Sendable {
    /// Refreshes a credential at the backend. Throws when the backend gave no clear answer and may have spent the token.
    public typealias Refresh = @Sendable (Credential) async throws -> RefreshResult
    /// Verifies what a refresh brought, ``Credential/pendingVerification``. Throws when that cannot be said now; it is
    /// asked again then.
    public typealias Verify = @Sendable (Credential) async throws -> RefreshVerification
    /// Revokes a credential nobody will use, as well as the backend allows.
    public typealias Discard = @Sendable (Credential) async -> Void
    /// Whether revoking the first credential leaves the second one alive.
    public typealias Independence = @Sendable (_ old: Credential, _ new: Credential) -> Bool

    /// Where its sessions come from. Those of another origin under the same realm are left alone and not used.
    public let origin: SessionOrigin
    /// Whether a refresh token may be sent again when nobody knows whether it was spent.
    public var replay: ReplayPolicy
    /// Revokes a credential of no more use: a refreshed one that a sign-out overtook, and one that a new sign-in replaced.
    public var discard: Discard
    /// Whether it is certain that a new credential survives when the one it replaced is revoked. Some servers keep one
    /// grant for a person and a client and would end both (RFC 7009, section 2.1), so by default nothing is revoked at a
    /// sign-in.
    public var areIndependent: Independence
    /// Verifies what a refresh brought beside the tokens, once they are stored; needed by who sets
    /// ``Credential/pendingVerification``.
    public var verify: Verify?
    /// Refreshes a credential. It should send its requests by ``IdentityEnvironment/transport``, which sends none after
    /// the refresh's deadline.
    public let refresh: Refresh

    /// A backend.
    public init(
        origin: SessionOrigin, replay: ReplayPolicy = .never, discard: @escaping Discard = { _ in },
        areIndependent: @escaping Independence = { _, _ in false }, verify: Verify? = nil, refresh: @escaping Refresh
    ) {
        self.origin = origin
        self.replay = replay
        self.discard = discard
        self.areIndependent = areIndependent
        self.verify = verify
        self.refresh = refresh
    }
}

/// What a backend answered to a request for refresh. <doc:RefreshingTokens> has the table of what servers answer.
public enum RefreshResult: Sendable {
    /// A new credential. It replaces the old one, refresh token included.
    /// - Parameter dropping: why the ID token that came with it was dropped; the session goes on without it.
    case refreshed(Credential, dropping: (any Error)? = nil)
    /// The backend says that the session is over. Nothing less than its own word may be reported this way.
    case refused(reason: String)
    /// The backend turned the request away in words that may mean that the session is over, or something else. The token
    /// is not sent again for a while; an answer of the same kind after that ends the session.
    /// - Parameter kind: what the answer was, such as status and error code; by default the error's failure code.
    case ambiguous(any Error, kind: String? = nil)
    /// The backend turned the client away and not the token: a mistake in the configuration, here or at the server. The
    /// session stays as it is, and the token is not sent again for a while.
    case misconfigured(any Error)
    /// It failed, and the refresh token is certainly not spent: the request never left, or the backend turned it away
    /// before it looked at the token. Whatever else goes wrong is thrown and leaves the token in doubt.
    case unspent(any Error)
}
