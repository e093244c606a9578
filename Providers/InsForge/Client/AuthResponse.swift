import IdentityKit

/// A session that was just opened or refreshed, with its tokens.
public struct AuthResponse: Sendable, Hashable {
    public let user: User
    public let accessToken: String
    /// The refresh token, which is also in the store; `nil` if the session has none and ends when its access token
    /// expires.
    public let refreshToken: String?

    init(_ session: SessionResponse) {
        user = session.user
        accessToken = session.accessToken.reveal()
        refreshToken = session.refreshToken?.reveal()
    }

    init(user: User, _ credential: Credential) {
        self.user = user
        accessToken = credential.accessToken.reveal()
        refreshToken = credential.refreshToken?.reveal()
    }
}

extension AuthResponse: CustomStringConvertible, Reticent {
    /// The identifier of the user, without the tokens.
    public var description: String { "AuthResponse(user: \(user.id))" }

    /// Shows only the user, so that `dump` does not show the tokens.
    package var shown: KeyValuePairs<String, Any> { ["user": user] }
}

/// The result of a sign-in with a password. ``user`` and ``accessToken`` are optional only for compatibility with the
/// code in InsForge's documentation, which unwraps them.
public struct SignInResponse: Sendable, Hashable {
    /// The user, never `nil`.
    public let user: User?
    /// The access token, never `nil`.
    public let accessToken: String?
    /// The refresh token, which is also in the store; `nil` if the session has none and ends when its access token
    /// expires.
    public let refreshToken: String?

    init(_ session: SessionResponse) {
        user = session.user
        accessToken = session.accessToken.reveal()
        refreshToken = session.refreshToken?.reveal()
    }
}

extension SignInResponse: CustomStringConvertible, Reticent {
    /// The identifier of the user, without the tokens.
    public var description: String { "SignInResponse(user: \(user?.id ?? "none"))" }

    /// Shows only the user, so that `dump` does not show the tokens.
    package var shown: KeyValuePairs<String, Any> { ["user": user as Any] }
}

/// A change of a client's session.
package enum InsForgeAuthEvent: Sendable, Hashable {
    /// The user has signed in. The first event can also mean that the user was signed in when the client was made.
    case signedIn(User)
    /// The server sent the signed-in user's data, perhaps unchanged, to this client or to another client with the same store.
    case userUpdated(User)
    /// The user has signed out, or the session has ended.
    case signedOut
}
