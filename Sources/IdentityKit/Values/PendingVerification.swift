import Foundation

/// The checks of a refreshed credential that are still pending.
///
/// The old refresh token is spent, so the new one is stored before its ID token is verified, which may take a request
/// for the server's keys. Until then the credential is not handed out; the first process that reads it completes the
/// verification.
package struct PendingVerification: Sendable, Equatable, Codable {
    /// The new ID token, while ``Credential/idToken`` still holds the former one. For a backend without ID tokens, the
    /// token that it verifies instead.
    package var idToken: Secret
    /// Time of the request, by this machine's clock.
    package var sentAt: Date
    /// Time of the response, by this machine's clock.
    package var receivedAt: Date
    /// The `Date` header of the response, by the server's clock; `nil` without one.
    package var serverDate: Date?

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
    /// The credential is verified and can be handed out.
    /// - Parameter dropping: why the new ID token was dropped; the session continues without it.
    case verified(Credential, dropping: (any Error)? = nil)
    /// The response belongs to another session, so this session has ended.
    case refused(reason: String)
}
