/// How the sessions of a backend are refreshed, verified and revoked.
public struct SessionBackend: Sendable {
    /// Refreshes a credential at the backend, and sends its refresh token with ``RefreshContext/spend(_:)``. Throws when the
    /// response is unclear, and when there is none.
    public typealias Refresh = @Sendable (Credential, RefreshContext) async throws -> RefreshResult
    /// Refreshes a credential without saying when the refresh token is sent. Throws whenever it may be spent.
    public typealias Exchange = @Sendable (Credential) async throws -> RefreshResult
    /// Verifies a refreshed credential with `Credential.pendingVerification`. Throws when that is not possible now; it
    /// is called again later.
    public typealias Verify = @Sendable (Credential, RefreshContext) async throws -> RefreshVerification
    /// Asks the issuer itself whether it takes the access token of a credential; `nil` where it has no endpoint for that.
    /// Throws when that is not known now.
    public typealias Inquire = @Sendable (Credential) async throws -> Bool?
    /// Revokes a credential that is no longer used, as far as the backend can.
    public typealias Discard = @Sendable (Credential) async -> Void
    /// Revokes a credential whose person has signed out. Throws when the backend could not be told: after a transient error
    /// it is called again for a day, also by another process, with a credential without profile.
    public typealias Revoke = @Sendable (Credential) async throws -> Void
    /// Whether the second credential stays valid when the first is revoked.
    public typealias Independence = @Sendable (_ old: Credential, _ new: Credential) -> Bool

    /// The origin of the backend's sessions. Sessions of another origin in the same realm are kept and not used.
    public let origin: SessionOrigin
    /// Whether a refresh token may be sent again when it is unknown whether it was spent.
    public var replay: ReplayPolicy
    /// Revokes a refreshed credential after a sign-out during the refresh, and one that a new sign-in replaced.
    package var discard: Discard
    /// Whether a new credential certainly stays valid when the one it replaced is revoked. Some servers keep one grant for
    /// a user and a client and end both (RFC 7009 section 2.1), so by default a sign-in revokes nothing.
    package var areIndependent: Independence
    /// Verifies a refreshed credential once it is stored; required where `Credential.pendingVerification` is set.
    public var verify: Verify?
    /// Asks the issuer about an access token that a resource refused and that cannot be refreshed.
    public var inquire: Inquire?
    /// Revokes a credential after a sign-out; `nil` for a backend that cannot.
    public var revoke: Revoke?
    /// How the backend issues tokens for several resources; `nil` for one that issues no token for a named resource. Then
    /// `refresh` heeds ``RefreshContext/wish``.
    package var tokensByResource: TokensByResource?
    /// Asks the server whom an access token of a session is for; `nil` when it does not say it. Throws when that is not known
    /// now.
    package var audience: (@Sendable (ResourceToken, Credential, RefreshContext) async throws -> [String]?)?
    public let refresh: Refresh

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

    /// A backend that does not say when it sends a refresh token: whatever `exchange` throws leaves the token in doubt.
    public init(
        origin: SessionOrigin, replay: ReplayPolicy = .never, discard: @escaping Discard = { _ in },
        areIndependent: @escaping Independence = { _, _ in false }, verify: Verify? = nil,
        exchange: @escaping Exchange
    ) {
        self.init(
            origin: origin, replay: replay, discard: discard, areIndependent: areIndependent, verify: verify
        ) { credential, context in
            try await context.spend { try await exchange(credential) }
        }
    }
}

/// The outcome of a request for refresh. <doc:RefreshingTokens> lists the responses of servers.
public enum RefreshResult: Sendable {
    /// A new credential, which replaces the old one with its refresh token.
    /// - Parameters:
    ///   - dropping: why the ID token in the response was dropped; the session continues without it.
    ///   - faults: what was odd about the response and made no difference, one line for each.
    case refreshed(Credential, dropping: (any Error)? = nil, faults: [String] = [])
    /// A new refresh token with an access token that must not be used. The old refresh token is spent, so the credential,
    /// which has the new one beside the old access token, is stored all the same; the error says what is wrong.
    case unusable(Credential, any Error)
    /// The error response says that the session has ended. Report nothing else this way.
    case refused(reason: String)
    /// The server wants the person, not another refresh, or the client must be registered again. The session is suspended.
    /// - Parameter mayPass: whether the server is asked again every hour; otherwise only a sign-in helps.
    case personNeeded(any Error, mayPass: Bool = true)
    /// The error response may mean that the session has ended, or something else. The token is not sent again for a while;
    /// a response of the same kind after that suspends the session, and for weeks ends it.
    /// - Parameter kind: distinguishes responses, such as by status and error code; by default the error's failure code.
    case ambiguous(any Error, kind: String? = nil)
    /// The backend refuses the client, not the token: a mistake in the configuration, here or at the server. The session
    /// stays as it is, and the token is not sent again for a while.
    case misconfigured(any Error)
    /// The backend refuses what the session has, such as its scopes, and not the session, which stays as it is. The token is
    /// not sent again for an hour, or until the person has authorized it again.
    case stepUpNeeded(any Error)
    /// The backend does not know the client, which registered itself. Said again after half a minute, the session is
    /// suspended, and `forget` makes the next sign-in register anew.
    case clientUnknown(any Error, forget: @Sendable () async -> Void)
    /// The response was a success without a token that could be read, and no page. The token is in doubt, as after an error
    /// that is thrown. A response of the same kind for a minute, or an error that is definitive, tells callers that the
    /// configuration does not fit; the session is kept.
    /// - Parameter advice: what to set so that the response can be read, in a sentence.
    case unreadable(any Error, advice: String? = nil)
    /// No byte of the request was sent.
    case notSent(any Error)
    /// The backend did not look at the refresh token: it asked to wait, or something in front of it responded. Throw every
    /// other error; the token is then in doubt.
    /// - Parameters:
    ///   - retryAfter: how long the backend asked to wait, if it did.
    ///   - isForAll: whether it asked everybody, because it is busy (503). Then no account of its sessions is refreshed before.
    case unspent(any Error, retryAfter: Duration? = nil, isForAll: Bool = false)
}
