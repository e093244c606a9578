import Foundation
import IdentityKit

extension LocalInsForgeServer {
    /// A mail that a real server would send.
    public struct Mail: Sendable, Equatable {
        /// Purposes of mails. A code of one purpose is not accepted for another.
        public enum Purpose: String, Sendable {
            /// To verify the address of a user. A project can require a verified address for a sign-in with a password.
            case verifyEmail = "VERIFY_EMAIL"
            /// To set a new password.
            case resetPassword = "RESET_PASSWORD"
            /// To sign in without a password.
            case signIn = "SIGN_IN"
        }

        /// The recipient's e-mail address, in lower case.
        public let recipient: String
        /// The purpose of the mail. The code or link works only for this purpose.
        public let purpose: Purpose
        /// The six digits that the person types; `nil` for a mail with a link.
        public let code: String?
        /// The address that the person opens; `nil` for a mail with a code.
        public let link: String?
    }
}

/// Delivers mail to the outbox, or fails as configured.
final class InsForgeMailer: Sendable {
    private struct State {
        var mails: [LocalInsForgeServer.Mail] = []
        var lastDeliveries: [String: Date] = [:]
    }

    private let state = Locked(State())

    var outbox: [LocalInsForgeServer.Mail] { state.withLock { $0.mails } }

    /// Sends a mail by adding it to the outbox.
    /// - Parameter interval: the minimum time between two mails to one address; `nil` for none.
    /// - Throws: `RATE_LIMITED` if the last mail to the address is more recent than `interval`; `EMAIL_PROVIDER_NOT_CONFIGURED`
    ///   or `EMAIL_SMTP_SEND_FAILED` if `delivery` demands a failure.
    func send(
        _ mail: LocalInsForgeServer.Mail, by delivery: LocalInsForgeServer.MailDelivery, interval: Duration?,
        at now: Date
    ) throws {
        switch delivery {
        case .working:
            try state.withLock { state in
                if let interval, let last = state.lastDeliveries[mail.recipient],
                    now < last + interval.timeInterval
                {
                    let seconds = Int((last + interval.timeInterval).timeIntervalSince(now).rounded(.up))
                    throw InsForgeServerError(
                        429, "RATE_LIMITED", "Too many emails to this address. Retry after \(seconds)s.")
                }
                state.lastDeliveries[mail.recipient] = now
                state.mails.append(mail)
            }
        case .notConfigured:
            throw InsForgeServerError(
                503, "EMAIL_PROVIDER_NOT_CONFIGURED", "No email provider is configured.",
                nextActions: "Configure and enable custom SMTP, then retry. "
                    + "Cloud-linked projects can use the managed email provider.")
        case .failing:
            throw InsForgeServerError(500, "EMAIL_SMTP_SEND_FAILED", "The mail server refused the message.")
        }
    }
}
