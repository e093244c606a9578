import Foundation
import IdentityKit

/// The activity of a local server, without anything that opens a session: for developers.
public struct LocalServerReport: Sendable, Equatable {
    /// A user who can sign in.
    public struct Person: Sendable, Equatable {
        public var id: String
        /// The name to type when signing in.
        public var name: String
        /// The address, when there is one.
        public var email: String?
        /// The name, the address and the user name, as an app shows them.
        public var profile = AccountProfile()
        /// Unusual state of the user, such as `inactive`.
        public var remark: String?
    }

    /// A sign-in, sign-up, recovery or sign-out, in progress or ended.
    public struct Flow: Sendable, Equatable {
        /// How far it has come.
        public enum State: String, Sendable {
            /// The flow waits for the person.
            case inProgress = "in progress"
            case completed
            case failed
            /// The token's time is over.
            case expired
        }

        /// The execution or the grant.
        public var id: String
        /// Purpose of the message.
        public var kind: String
        /// The client that started it.
        public var client: String?
        /// Name of the person, once that is known.
        public var person: String?
        /// How far it has come.
        public var state: State
        /// The current step, or the reason of a failure.
        public var detail: String?
    }

    /// A token that was issued. Its value is not here.
    public struct Token: Sendable, Equatable {
        /// Kinds of tokens that are reported.
        public enum Kind: String, Sendable, Codable {
            case access
            /// Gets the next access token.
            case refresh
            /// Says who signed in.
            case id
            /// Is exchanged for the others at the end of a native flow.
            case assertion
        }

        /// States of a token.
        public enum State: String, Sendable {
            case good
            /// Used up: the token works once.
            case spent
            case revoked
            /// The token's time is over.
            case expired
        }

        /// Kinds of tokens that are reported.
        public var kind: Kind
        /// The client it was issued to.
        public var client: String?
        /// The owner, by the name that people know.
        public var person: String
        /// The subject identifier of whose it is.
        public var personID: String
        /// When it was issued.
        public var issuedAt: Date
        public var expiresAt: Date
        /// The sign-in it comes from, where the server knows.
        public var family: String?
        /// States of a token.
        public var state: State
    }

    /// Something the server would have sent to a person. Its code and link are included.
    public struct Message: Sendable, Equatable {
        /// The address or number.
        public var recipient: String
        /// Purpose of the message.
        public var purpose: String
        /// The code to type, if the message has one.
        public var code: String?
        /// The link to open, if the message has one.
        public var link: String?
    }

    /// Something that happened to the tokens of a sign-in.
    public struct TokenEvent: Sendable, Equatable {
        /// Kinds of token events.
        public enum Kind: String, Sendable, CaseIterable {
            /// The first tokens of a sign-in, or those of a client for itself.
            case issued
            /// New tokens for a refresh token.
            case refreshed
            /// A code or a refresh token came again after it was spent (RFC 9700 section 4.14.2).
            case replayed
            /// The tokens of a sign-in were revoked.
            case revoked
            /// No tokens were issued.
            case refused
            /// A token's time was over.
            case expired
        }

        public var kind: Kind
        public var date: Date
        /// The client that the tokens are for.
        public var client: String?
        /// The owner of the tokens.
        public var person: String?
        /// Why it happened, where there is a reason.
        public var reason: String?
    }

    /// The people, by their names.
    public var people: [Person] = []
    /// The flows, newest first.
    public var flows: [Flow] = []
    /// The tokens, newest first.
    public var tokens: [Token] = []
    /// Events of tokens since the server started, newest first.
    public var tokenEvents: [TokenEvent] = []
    /// The messages, newest first.
    public var messages: [Message] = []
}
