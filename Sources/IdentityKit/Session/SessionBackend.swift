/// How the sessions of a backend are refreshed and revoked.
public struct SessionBackend: Sendable {
    /// Refreshes a credential at the backend. Throws when there is no response, or when the response does not show
    /// whether the refresh token is spent.
    package typealias Refresh = @Sendable (Credential, RefreshContext) async throws -> RefreshResult
    /// Refreshes a credential without reporting when the refresh token is sent. Throws whenever the token may be spent.
    package typealias Exchange = @Sendable (Credential) async throws -> RefreshResult
    /// Verifies a refreshed credential that has `Credential.pendingVerification`. Throws when that is not possible now;
    /// for the next caller that needs the session, the function is then called again.
    package typealias Verify = @Sendable (Credential, RefreshContext) async throws -> RefreshVerification
    package typealias Inquire = @Sendable (Credential) async throws -> Bool?
    package typealias Discard = @Sendable (Credential) async -> Void
    package typealias Revoke = @Sendable (Credential) async throws -> Void
    package typealias Independence = @Sendable (_ old: Credential, _ new: Credential) -> Bool

    package let origin: SessionOrigin
    package let replay: ReplayPolicy
    package let discard: Discard
    package let areIndependent: Independence
    package let inquire: Inquire?
    package let revoke: Revoke?
    package let refresh: Refresh
    /// Verifies a refreshed credential once it is stored; required if `refresh` sets `Credential.pendingVerification`.
    package var verify: Verify?
    /// Set if another program refreshes the sessions: the error of a call for which a session has to be refreshed. Then
    /// no request is sent, no lease is taken, and no note (`RefreshIntent`) or pause is stored, because a lease, a note
    /// or a pause would hold back the other program. `nil` for a backend that refreshes its sessions.
    package var refusal: (any Error)?
    /// How the backend issues tokens for several resources; `nil` for a backend that does not issue tokens for a named
    /// resource. If set, `refresh` must honor ``RefreshContext/wish``.
    package var tokensByResource: TokensByResource?
    /// Asks the server for the audience of an access token for a resource, if the token does not contain it. Returns
    /// `nil` when the server does not reveal the audience. Throws when the answer cannot be obtained now.
    package var audience: (@Sendable (ResourceToken, Credential, RefreshContext) async throws -> [String]?)?

    /// Creates a backend from the functions that send its requests.
    /// - Parameters:
    ///   - type: the provider's type, ``ProviderPlugin/type``.
    ///   - backend: the identifier of the backend, such as its base URL. It has the same bytes as ``Credential/backend``.
    ///     A session of another type, backend or client in the same realm is kept but not used.
    ///   - clientID: the client identifier (RFC 6749 section 2.2); `nil` for a backend without clients.
    ///   - replay: whether a refresh token may be sent again when it is unknown whether the token was spent.
    ///   - discard: revokes, as far as the backend can, a credential that is not needed. For example, a sign-out or another
    ///     sign-in came before a refreshed credential was stored, a new sign-in or authorization replaced the credential, or an
    ///     authorization could not be added to its session.
    ///   - areIndependent: returns whether a new credential certainly stays valid when an older one of the same account
    ///     is revoked. Some servers have a single grant for a user and a client, and revoke both credentials (RFC 7009
    ///     section 2.1). Therefore, the function returns `false` by default, and a sign-in then revokes nothing.
    ///   - inquire: asks the issuer whether it still accepts an access token that a resource refused, in a session without a
    ///     refresh token. Returns `nil` for an issuer that has no endpoint for that. Throws when the answer cannot be obtained
    ///     now. If the function is `nil` or returns `nil`, the session is suspended until the person signs in.
    ///   - revoke: revokes a credential after its person has signed out; `nil` for a backend that cannot revoke
    ///     sessions. Throws when that failed. After a transient error or a ``TransportError``, the function is called
    ///     again for up to a day, perhaps by another process and with a credential without profile.
    ///   - refresh: refreshes a credential at the backend, and sends its refresh token with ``RefreshContext/spend(_:)``
    ///     or ``RefreshContext/spend(by:)``. Throws when there is no response, or when the response does not show whether
    ///     the refresh token is spent.
    public init(
        type: String, backend: String, clientID: String? = nil, replay: ReplayPolicy = .never,
        discard: @escaping @Sendable (Credential) async -> Void = { _ in },
        areIndependent: @escaping @Sendable (_ old: Credential, _ new: Credential) -> Bool = { _, _ in false },
        inquire: (@Sendable (Credential) async throws -> Bool?)? = nil,
        revoke: (@Sendable (Credential) async throws -> Void)? = nil,
        refresh: @escaping @Sendable (Credential, RefreshContext) async throws -> RefreshResult
    ) {
        self.init(
            origin: SessionOrigin(type: type, backend: backend, clientID: clientID), replay: replay, discard: discard,
            areIndependent: areIndependent, inquire: inquire, revoke: revoke, refresh: refresh)
    }

    /// Creates a backend with an `origin` of any kind, such as ``SessionOrigin/anyClient(ofType:at:)``.
    package init(
        origin: SessionOrigin, replay: ReplayPolicy = .never, discard: @escaping Discard = { _ in },
        areIndependent: @escaping Independence = { _, _ in false }, inquire: Inquire? = nil, revoke: Revoke? = nil,
        refresh: @escaping Refresh
    ) {
        self.origin = origin
        self.replay = replay
        self.discard = discard
        self.areIndependent = areIndependent
        self.inquire = inquire
        self.revoke = revoke
        self.refresh = refresh
    }

    /// Creates a backend that does not report when it sends a refresh token. After any error of `exchange`, the token
    /// counts as possibly spent.
    package init(
        origin: SessionOrigin, replay: ReplayPolicy = .never, discard: @escaping Discard = { _ in },
        areIndependent: @escaping Independence = { _, _ in false }, inquire: Inquire? = nil, revoke: Revoke? = nil,
        exchange: @escaping Exchange
    ) {
        self.init(
            origin: origin, replay: replay, discard: discard, areIndependent: areIndependent, inquire: inquire,
            revoke: revoke
        ) { credential, context in
            try await context.spend { try await exchange(credential) }
        }
    }
}

/// The outcome of a refresh request. <doc:RefreshingTokens> lists the responses of servers.
///
/// When the request was for a resource, ``personNeeded(_:mayPass:)``, ``ambiguous(_:kind:)``, ``misconfigured(_:)``,
/// ``stepUpNeeded(_:)`` and ``clientUnknown(_:forget:)`` do not affect the session. Instead, the server is not asked for a
/// token for that resource for an hour.
public enum RefreshResult: Sendable {
    /// A new credential, which replaces the old one with its refresh token.
    /// - Parameters:
    ///   - dropping: why the ID token in the response was dropped, such as a failed verification; `nil` when none was.
    ///     The session continues without that ID token.
    ///   - faults: rules that the response violated without harm, one line for each.
    case refreshed(Credential, dropping: (any Error)? = nil, faults: [String] = [])
    /// A new refresh token with an access token that must not be used, for the reason in the error. The credential has the
    /// new refresh token and the old access token. It is stored, because the old refresh token is spent.
    case unusable(Credential, any Error)
    /// The error response says that the session has ended. Use this case for nothing else.
    case refused(reason: String)
    /// The server requires the person to sign in, or the client to be registered again. The session is suspended.
    /// - Parameter mayPass: whether the requirement may end by itself, so that the server is asked again every hour. If
    ///   `false`, only a sign-in helps.
    case personNeeded(any Error, mayPass: Bool = true)
    /// The error response may mean that the session has ended, or something else. The token is not sent again for half a
    /// minute. If a response of the same kind follows, the session is suspended. If such responses come on five days, the
    /// last one at least a week after the first, the session ends.
    /// - Parameter kind: distinguishes responses, such as by status and error code; by default the error's failure
    ///   code, or else its type.
    case ambiguous(any Error, kind: String? = nil)
    /// The backend refuses the client, not the token, because the app or the server is configured wrongly. The session
    /// stays as it is, and the token is not sent again for half a minute.
    case misconfigured(any Error)
    /// The backend refuses what the session has, such as its scopes, but not the session itself, which is kept. The
    /// token is not sent again for an hour, or until the person has authorized more.
    case stepUpNeeded(any Error)
    /// The backend no longer knows the client, which had registered itself. The token is not sent again for half a minute.
    /// If the backend then refuses the client again, `forget` is called, so that the next sign-in registers the client
    /// anew, and the session is suspended.
    case clientUnknown(any Error, forget: @Sendable () async -> Void)
    /// The response reported success, but contained no readable token and was no HTML page. As after a thrown error, the
    /// refresh token counts as possibly spent. If such responses come for a minute, or the error is definitive, callers get
    /// ``/IdentityCore/SessionError/clientRefused(_:reason:nextAttempt:)``. The session is kept.
    /// - Parameter advice: a sentence that names the setting to change so that the response can be read.
    case unreadable(any Error, advice: String? = nil)
    /// No byte of the request was sent. The next call may send the token again after a second.
    case notSent(any Error)
    /// The backend did not examine the refresh token: it demanded a pause, or a proxy responded in its place. Throw an
    /// error instead if the refresh token may be spent.
    /// - Parameters:
    ///   - retryAfter: the pause that the backend demanded; `nil` if it named no length. At most an hour is observed.
    ///   - isForAll: whether the demand applies to all accounts, because the backend is busy (503).
    case unspent(any Error, retryAfter: Duration? = nil, isForAll: Bool = false)
}
