/// How the sessions of a backend are refreshed, verified and revoked.
public struct SessionBackend: Sendable {
    /// Refreshes a credential at the backend, and sends its refresh token with ``RefreshContext/spend(_:)``. Throws when the
    /// response is unclear, and when there is none.
    public typealias Refresh = @Sendable (Credential, RefreshContext) async throws -> RefreshResult
    /// Refreshes a credential without reporting when the refresh token is sent. Throws whenever the token may be spent.
    public typealias Exchange = @Sendable (Credential) async throws -> RefreshResult
    /// Verifies a refreshed credential with `Credential.pendingVerification`. Throws when that is not possible now; it
    /// is called again later.
    public typealias Verify = @Sendable (Credential, RefreshContext) async throws -> RefreshVerification
    /// Asks the issuer whether it still accepts the access token of a credential; `nil` for an issuer without such an
    /// endpoint. Throws when the answer cannot be obtained now.
    public typealias Inquire = @Sendable (Credential) async throws -> Bool?
    /// Revokes a credential that is no longer used, as far as the backend can.
    public typealias Discard = @Sendable (Credential) async -> Void
    /// Revokes a credential after its person has signed out. Throws when the backend could not be reached: after a
    /// transient error the function is called again for up to a day, perhaps by another process and with a credential
    /// without profile.
    public typealias Revoke = @Sendable (Credential) async throws -> Void
    /// Whether the second credential stays valid when the first is revoked.
    public typealias Independence = @Sendable (_ old: Credential, _ new: Credential) -> Bool

    /// The origin of the backend's sessions. Sessions of another origin in the same realm are kept but not used.
    public let origin: SessionOrigin
    /// Whether a refresh token may be sent again when it is unknown whether it was spent.
    public var replay: ReplayPolicy
    /// Revokes a credential that was refreshed during a sign-out, or replaced by a new sign-in.
    package var discard: Discard
    /// Whether a new credential certainly stays valid when the one it replaced is revoked. Some servers have a single
    /// grant for a user and a client, and end both (RFC 7009 section 2.1). Therefore, a sign-in revokes nothing by
    /// default.
    package var areIndependent: Independence
    /// Verifies a refreshed credential once it is stored; required where `Credential.pendingVerification` is set.
    public var verify: Verify?
    /// Asks the issuer about an access token that a resource refused and that cannot be refreshed.
    public var inquire: Inquire?
    /// Revokes a credential after a sign-out; `nil` for a backend that cannot.
    public var revoke: Revoke?
    /// How the backend issues tokens for several resources; `nil` for a backend that does not issue tokens for a named
    /// resource. If set, `refresh` must honor ``RefreshContext/wish``.
    package var tokensByResource: TokensByResource?
    /// Asks the server for the audience of an access token of a session; `nil` when the server does not reveal it.
    /// Throws when the answer cannot be obtained now.
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

    /// A backend that does not report when it sends a refresh token, so that after any error of `exchange` the token
    /// counts as possibly spent.
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
    ///   - faults: rules that the response violated without harm, one line for each.
    case refreshed(Credential, dropping: (any Error)? = nil, faults: [String] = [])
    /// A new refresh token with an access token that must not be used. The old refresh token is spent, so the credential,
    /// which has the new one beside the old access token, is stored all the same; the error says what is wrong.
    case unusable(Credential, any Error)
    /// The error response says that the session has ended. Use this case for nothing else.
    case refused(reason: String)
    /// The server requires the person to sign in, or the client to be registered again; another refresh does not help.
    /// The session is suspended.
    /// - Parameter mayPass: whether the server is asked again every hour; otherwise only a sign-in helps.
    case personNeeded(any Error, mayPass: Bool = true)
    /// The error response may mean that the session has ended, or something else. The token is not sent again for a
    /// while. If the same kind of response follows, the session is suspended, and ended if that goes on for weeks.
    /// - Parameter kind: distinguishes responses, such as by status and error code; by default the error's failure
    ///   code.
    case ambiguous(any Error, kind: String? = nil)
    /// The backend refuses the client, not the token: a mistake in the configuration, here or at the server. The session
    /// stays as it is, and the token is not sent again for a while.
    case misconfigured(any Error)
    /// The backend refuses what the session has, such as its scopes, but not the session itself, which is kept. The
    /// token is not sent again for an hour, or until the person has authorized more.
    case stepUpNeeded(any Error)
    /// The backend no longer knows the client, which had registered itself. If that is repeated after half a minute,
    /// the session is suspended, and `forget` makes the next sign-in register the client again.
    case clientUnknown(any Error, forget: @Sendable () async -> Void)
    /// The response reported success, but contained no readable token and was no page. As after a thrown error, the
    /// refresh token counts as possibly spent. If this goes on for a minute, or the error is definitive, callers get an
    /// error about the configuration; the session is kept.
    /// - Parameter advice: the setting to change so that the response can be read, in a sentence.
    case unreadable(any Error, advice: String? = nil)
    /// No byte of the request was sent.
    case notSent(any Error)
    /// The backend did not examine the refresh token: it demanded a pause, or a proxy responded in its place. Throw any
    /// other error, after which the token counts as possibly spent.
    /// - Parameters:
    ///   - retryAfter: the pause that the backend demanded; `nil` for none.
    ///   - isForAll: whether the demand applies to all accounts, because the backend is busy (503).
    case unspent(any Error, retryAfter: Duration? = nil, isForAll: Bool = false)
}
