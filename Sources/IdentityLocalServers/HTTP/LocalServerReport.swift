import Foundation
import IdentityKit

/// A report about a local server for developers, without anything that could open a session.
public struct LocalServerReport: Sendable, Equatable {
    /// A user who can sign in.
    public struct Person: Sendable, Equatable {
        public var id: String
        /// The user name for signing in.
        public var name: String
        /// The e-mail address, if there is one.
        public var email: String?
        /// Name, e-mail address and user name, as an app displays them.
        public var profile = AccountProfile()
        /// An unusual state of the user, such as `inactive`.
        public var remark: String?
    }

    /// A sign-in, sign-up, recovery or sign-out, in progress or ended.
    public struct Flow: Sendable, Equatable {
        /// States of a flow.
        public enum State: String, Sendable {
            /// The flow waits for the person.
            case inProgress = "in progress"
            case completed
            case failed
            /// The flow was not completed in time.
            case expired
        }

        /// Identifier of the flow's execution or grant.
        public var id: String
        /// The kind of flow, such as a sign-in.
        public var kind: String
        /// The client that started the flow.
        public var client: String?
        /// Name of the person, if known already.
        public var person: String?
        /// The flow's current state.
        public var state: State
        /// The current step, or the reason of a failure.
        public var detail: String?
    }

    /// An issued token, without its value.
    public struct Token: Sendable, Equatable {
        /// Kinds of tokens that are reported.
        public enum Kind: String, Sendable, Codable {
            case access
            /// A refresh token, which gets new access tokens.
            case refresh
            /// An ID token, which says who signed in.
            case id
            /// An assertion, which is exchanged for the other tokens at the end of a native flow.
            case assertion
        }

        /// States of a token.
        public enum State: String, Sendable {
            case good
            /// The token works only once and has been used.
            case spent
            case revoked
            /// The token has expired.
            case expired
        }

        /// Kinds of tokens that are reported.
        public var kind: Kind
        /// The client it was issued to.
        public var client: String?
        /// The name of the person that the token is about.
        public var person: String
        /// The subject identifier of the person that the token is about.
        public var personID: String
        /// When it was issued.
        public var issuedAt: Date
        public var expiresAt: Date
        /// Identifier of the sign-in that the token comes from, if the server records it.
        public var family: String?
        /// States of a token.
        public var state: State
    }

    /// A message that a real server would send to a person. Its code and link are included.
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

    /// An event of the tokens of a sign-in.
    public struct TokenEvent: Sendable, Equatable {
        /// Kinds of token events.
        public enum Kind: String, Sendable, CaseIterable {
            /// The first tokens of a sign-in, or tokens for a client itself, were issued.
            case issued
            /// New tokens were issued for a refresh token.
            case refreshed
            /// A code or a refresh token was sent again after it was spent (RFC 9700 section 4.14.2).
            case replayed
            /// The tokens of a sign-in were revoked.
            case revoked
            /// A request for tokens was refused.
            case refused
            /// A token has expired.
            case expired
        }

        public var kind: Kind
        public var date: Date
        /// The client that the tokens are for.
        public var client: String?
        /// The owner of the tokens.
        public var person: String?
        /// The reason of the event, if there is one.
        public var reason: String?
    }

    /// The people, in the order of their names.
    public var people: [Person] = []
    /// The flows, newest first.
    public var flows: [Flow] = []
    /// The tokens, newest first.
    public var tokens: [Token] = []
    /// Events of tokens since the server's start, newest first.
    public var tokenEvents: [TokenEvent] = []
    /// The messages, newest first.
    public var messages: [Message] = []
}
