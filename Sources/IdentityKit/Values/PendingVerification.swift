import Foundation

/// The checks of a refreshed credential that are still pending.
///
/// A refresh spends the old refresh token, so the new tokens are stored at once. Their ID token is verified afterwards,
/// because that may require a request for the server's keys. Until then the access token is not handed out. If the
/// process ends first, the next process that needs the access token completes the verification.
package struct PendingVerification: Sendable, Equatable, Codable {
    /// The new ID token, while ``Credential/idToken`` is still the former ID token. For a backend without ID tokens, the
    /// new access token if its signature must be verified.
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
package enum RefreshVerification: Sendable {
    /// The credential is verified and can be handed out.
    /// - Parameter dropping: the error because of which the new ID token was dropped; `nil` if no token was dropped.
    ///   The session continues in both cases.
    case verified(Credential, dropping: (any Error)? = nil)
    /// The new tokens do not belong to this session, or their signature is wrong. The session ends.
    case refused(reason: String)
}
