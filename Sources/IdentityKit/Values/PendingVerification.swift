import Foundation

/// The part of a refreshed credential that is not verified yet.
///
/// The old refresh token is spent, so the new one is stored before its ID token is verified, which may take a request for
/// the server's keys. The credential is not handed out before that; the first process that reads it verifies it.
package struct PendingVerification: Sendable, Equatable, Codable {
    /// The new ID token, while ``Credential/idToken`` is the one before; or the token that a backend without ID tokens has
    /// verified in its place.
    package var idToken: Secret
    /// When it was requested, by this machine's clock.
    package var sentAt: Date
    /// When it was received, by this machine's clock.
    package var receivedAt: Date
    /// The `Date` of the response, by the server's clock; `nil` when it had none.
    package var serverDate: Date?

    /// An ID token to verify.
    package init(idToken: Secret, sentAt: Date, receivedAt: Date, serverDate: Date?) {
        self.idToken = idToken
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.serverDate = serverDate
    }

    init(stored: [String: JSONValue]) throws(JSONMembers.Defect) {
        var members = JSONMembers(stored)
        idToken = try members.token("idToken")
        sentAt = try members.date("sentAt")
        receivedAt = try members.date("receivedAt")
        serverDate = try members.dateIfPresent("serverDate")
    }
}

/// The result of verifying a refreshed credential.
public enum RefreshVerification: Sendable {
    /// The credential to hand out.
    /// - Parameter dropping: why the new ID token was dropped; the session continues without it.
    case verified(Credential, dropping: (any Error)? = nil)
    /// The response is not for this session, so the session has ended.
    case refused(reason: String)
}
