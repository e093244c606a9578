import Foundation

/// What a refresh brought and nobody has verified yet.
///
/// The refresh token that was sent is spent, so its successor is stored before anything else is done, also before the ID
/// token that came with it is verified: that may take a request for the server's keys, and the process may not live to
/// see the end of it. Until it is verified the credential is not handed out; whoever reads it first verifies it.
public struct PendingVerification: Sendable, Equatable, Codable {
    /// The new ID token. ``Credential/idToken`` is the one of before.
    public var idToken: Secret
    /// When it was asked for, by this machine's clock.
    public var sentAt: Date
    /// When it was received, by this machine's clock.
    public var receivedAt: Date
    /// The `Date` of the response, by the server's clock; `nil` when it had none.
    public var serverDate: Date?

    /// Something to verify.
    public init(idToken: Secret, sentAt: Date, receivedAt: Date, serverDate: Date?) {
        self.idToken = idToken
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.serverDate = serverDate
    }
}

/// What became of the verification of a refreshed credential.
public enum RefreshVerification: Sendable {
    /// The credential as it may be handed out.
    /// - Parameter dropping: why the new ID token was dropped; the session goes on without it.
    case verified(Credential, dropping: (any Error)? = nil)
    /// What came with it is not for this session, so nothing of it may be believed, and the session is over.
    case refused(reason: String)
}
