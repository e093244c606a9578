import Foundation
import IdentityKit

/// The session of the signed-in user. The refresh token stays in the store.
public struct Session: Sendable, Hashable {
    /// The access token. It may have expired; use ``InsForgeAuthClient/accessToken()`` for a valid one.
    public let accessToken: String
    /// The user as the server last described them. Without a stored description, the user has only the identifier and
    /// the address in the access token.
    public let user: User
    /// The expiry of the access token, by this machine's clock; `nil` if it is unknown.
    public let expiresAt: Date?

    init?(_ credential: Credential) {
        guard let user = InsForgeEngine.user(of: credential) else { return nil }
        accessToken = credential.accessToken.reveal()
        self.user = user
        expiresAt = credential.expiresAt
    }
}

extension Session: CustomStringConvertible, Reticent {
    /// The user's identifier, without the access token.
    public var description: String { "Session(user: \(user.id))" }

    /// Shows the user and the expiry, but not the access token.
    package var shown: KeyValuePairs<String, Any> { ["user": user, "expiresAt": expiresAt as Any] }
}
