import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// A message that a real server would send to a person.
    public struct Message: Sendable, Equatable {
        /// Purposes of messages to people.
        public enum Purpose: Sendable, Equatable {
            /// A code to enter: ``Message/secret`` is the flow's input `otp`.
            case oneTimeCode
            /// A link that signs in: ``Message/secret`` is the flow's input `token`.
            case magicLink
            /// A link that sets a new password: ``Message/secret`` is the flow's input `inviteToken`.
            case recovery
            /// A link that continues a registration: ``Message/secret`` is the flow's input `inviteToken`.
            case invitation
            /// A request to confirm a sign-in elsewhere: ``Message/secret`` is the text that the other device shows.
            case signInRequest
        }

        /// The purpose of the message.
        public let purpose: Purpose
        /// The way in which the message is sent.
        public let channel: SignInFlow.Channel
        /// The e-mail address or number; the user name of a user without one.
        public let recipient: String
        /// Identifier of the execution that the message continues.
        public let executionID: String
        public let secret: Secret
        /// The link in the message; `nil` if there is none.
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
