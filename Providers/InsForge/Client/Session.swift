import Foundation
import IdentityKit

/// The session of the signed-in user. The refresh token stays in the store.
public struct Session: Sendable, Hashable {
    /// The access token. It may have expired; ``InsForgeAuthClient/accessToken()`` gives one that has not.
    public let accessToken: String
    /// The user in the server's last description.
    public let user: User
    /// When the access token expires, on this machine's clock; `nil` when it does not say.
    public let expiresAt: Date?

    init?(_ credential: Credential) {
        guard let user = InsForgeEngine.user(of: credential) else { return nil }
        accessToken = credential.accessToken.reveal()
        self.user = user
        expiresAt = credential.expiresAt
    }
}

extension Session: CustomStringConvertible, CustomReflectable {
    /// The user, without the token.
    public var description: String { "Session(user: \(user.id))" }

    /// Shows the user and the expiry only.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "expiresAt": expiresAt as Any]) }
}
