import IdentityKit

/// A session that was just opened or refreshed.
public struct AuthResponse: Sendable, Hashable {
    /// Whose it is.
    public let user: User
    /// The access token.
    public let accessToken: String
    /// The refresh token, which the store keeps too; `nil` when the session ends with its access token.
    public let refreshToken: String?

    init(_ answer: SessionAnswer) {
        user = answer.user
        accessToken = answer.accessToken.reveal()
        refreshToken = answer.refreshToken?.reveal()
    }

    init(user: User, _ credential: Credential) {
        self.user = user
        accessToken = credential.accessToken.reveal()
        refreshToken = credential.refreshToken?.reveal()
    }
}

extension AuthResponse: CustomStringConvertible, CustomReflectable {
    /// Says whose it is, without the tokens.
    public var description: String { "AuthResponse(user: \(user.id))" }

    /// Shows the user alone.
    public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

/// What a sign-in with a password gives. Its members are optional because the documented code unwraps them, as it does
/// those of a sign-up; a sign-in that did not throw has them all.
public struct SignInResponse: Sendable, Hashable {
    /// Who signed in.
    public let user: User?
    /// The access token.
    public let accessToken: String?
    /// The refresh token, which the store keeps too; `nil` when the session ends with its access token.
    public let refreshToken: String?

    init(_ answer: SessionAnswer) {
        user = answer.user
        accessToken = answer.accessToken.reveal()
        refreshToken = answer.refreshToken?.reveal()
    }
}

extension SignInResponse: CustomStringConvertible, CustomReflectable {
    /// Says whose it is, without the tokens.
    public var description: String { "SignInResponse(user: \(user?.id ?? "nobody"))" }

    /// Shows the user alone.
    public var customMirror: Mirror { Mirror(self, children: ["user": user as Any]) }
}

/// What happened to the session of a client.
public enum InsForgeAuthEvent: Sendable, Hashable {
    /// This user is signed in now: since a sign-in, or, first of all, since before the client was made.
    case signedIn(User)
    /// The server described the signed-in user anew.
    case userUpdated(User)
    /// Nobody is signed in now.
    case signedOut
}
