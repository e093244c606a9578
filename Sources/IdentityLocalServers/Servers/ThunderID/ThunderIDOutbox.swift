import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// A message that a real server would send to a person.
    public struct Message: Sendable, Equatable {
        /// The reason for a message, which determines the content of ``Message/secret``.
        public enum Purpose: Sendable, Equatable {
            /// A code to enter: ``Message/secret`` is the value for the flow's input `otp`.
            case oneTimeCode
            /// A link that signs in: ``Message/secret`` is the value for the flow's input `token`.
            case magicLink
            /// A link that sets a new password: ``Message/secret`` is the value for the flow's input `inviteToken`.
            case recovery
            /// A link that continues a registration, or the creation of a user by an administrator: ``Message/secret`` is the
            /// value for the flow's input `inviteToken`.
            case invitation
            /// A link to confirm a sign-in on another device: ``Message/secret`` is the `binding_message`, which the other
            /// device also shows. If the request has no `binding_message`, the secret is a random text.
            case signInRequest
        }

        /// The reason for the message, on which the content of ``secret`` depends.
        public let purpose: Purpose
        /// The channel of the message. Only one-time codes can have another channel than e-mail.
        public let channel: SignInFlow.Channel
        /// The e-mail address or phone number, depending on ``channel``. If the user's record lacks the address or number, the
        /// user name.
        public let recipient: String
        /// The identifier of the flow execution to which the message belongs.
        public let executionID: String
        /// The code, the token of the link, or the text to compare, depending on ``purpose``.
        public let secret: Secret
        /// The link in the message; `nil` for a one-time code, and if the configured base of links is not a URL.
        public let link: URL?

        init(
            purpose: Purpose, channel: SignInFlow.Channel, recipient: String, executionID: String, secret: Secret,
            link: URL? = nil
        ) {
            (self.purpose, self.channel, self.recipient) = (purpose, channel, recipient)
            (self.executionID, self.secret, self.link) = (executionID, secret, link)
        }
    }
}

/// The messages that were sent, oldest first.
final class ThunderIDOutbox: Sendable {
    private let sent = Locked<[LocalThunderIDServer.Message]>([])

    var messages: [LocalThunderIDServer.Message] { sent.withLock { $0 } }

    func send(_ message: LocalThunderIDServer.Message) { sent.withLock { $0.append(message) } }
}
