import Foundation
import IdentityKit

/// A report about a local server for developers. The values of tokens are left out; ``messages`` include codes and links.
public struct LocalServerReport: Sendable, Equatable {
    /// A user of the server, even one who cannot sign in at present.
    public struct Person: Sendable, Equatable {
        public var id: String
        /// The name that the user signs in with: the e-mail address at InsForge, and the user name at other servers.
        public var name: String
        /// The e-mail address, if there is one.
        public var email: String?
        /// Name, e-mail address and user name, as an app displays them.
        public var profile = AccountProfile()
        /// An unusual state of the user, such as `inactive`; `nil` for the usual state.
        public var remark: String?
    }

    /// A sign-in, sign-up, recovery or sign-out, in progress or ended. At an OpenID Connect server, a request for tokens that
    /// a client makes for itself, without a person, is also a flow. The report of InsForge has no flows.
    public struct Flow: Sendable, Equatable {
        /// States of a flow. Their raw values are the words that the dashboard shows.
        public enum State: String, Sendable {
            /// The flow waits for the person.
            case inProgress = "in progress"
            case completed
            case failed
            /// The flow was not completed in time.
            case expired
        }

        /// The identifier of ThunderID's flow execution or of the OpenID Connect grant; empty before there is a grant.
        public var id: String
        /// The kind of flow, such as `sign-in`, `device` or ThunderID's `AUTHENTICATION`.
        public var kind: String
        /// The identifier of the client that started the flow, if known.
        public var client: String?
        /// Name of the person, if known already.
        public var person: String?
        /// The state of the flow at the time of the report.
        public var state: State
        /// The current step, the reason of a failure, or the granted scopes; `nil` if there is nothing to add to the state.
        public var detail: String?
    }

    /// An issued token, without its value.
    public struct Token: Sendable, Equatable {
        /// Kinds of tokens that are reported.
        public enum Kind: String, Sendable, Codable {
            case access
            /// A refresh token, which gets new access tokens.
            case refresh
            /// An ID token, which identifies the person who signed in.
            case id
            /// An assertion of ThunderID, which a client exchanges for the other tokens at the end of a native flow.
            case assertion
        }

        /// States of a token. Only a good token can be used.
        public enum State: String, Sendable {
            case good
            /// The token works only once and has been used.
            case spent
            case revoked
            /// The time `expiresAt` has passed.
            case expired
        }

        public var kind: Kind
        /// The identifier of the client that the token was issued to; `nil` at InsForge.
        public var client: String?
        /// The name of the person that the token is about, or the identifier if no name is known.
        public var person: String
        /// The subject identifier of the person, or of the client if the token is about the client itself.
        public var personID: String
        public var issuedAt: Date
        public var expiresAt: Date
        /// Identifier of the sign-in that the token comes from, if the server records it.
        public var family: String?
        /// The state of the token at the time of the report.
        public var state: State
    }

    /// A message that a real server would send to a person. Its code and link are included.
    public struct Message: Sendable, Equatable {
        /// The e-mail address or phone number of the recipient, or the user name of a user without an address.
        public var recipient: String
        /// The purpose in words, such as `magic link` or `reset the password`.
        public var purpose: String
        /// The code to type, if the message has one.
        public var code: String?
        /// The link to open, if the message has one.
        public var link: String?
    }

    /// An event in the life of the tokens of a sign-in, such as a refresh.
    public struct TokenEvent: Sendable, Equatable {
        /// Kinds of token events. Their raw values are the words that the dashboard shows.
        public enum Kind: String, Sendable, CaseIterable {
            /// The first tokens of a sign-in, or tokens for a client itself, were issued.
            case issued
            /// New tokens were issued for a refresh token.
            case refreshed
            /// An authorization code or a refresh token was sent again after it was spent (RFC 9700 section 4.14.2).
            case replayed
            /// The tokens of one or several sign-ins were revoked.
            case revoked
            /// A request for tokens was refused.
            case refused
            /// A token has expired. The date of the event is the expiry of the token.
            case expired
        }

        public var kind: Kind
        public var date: Date
        /// The identifier of the client that the tokens are for, if known.
        public var client: String?
        /// The name of the person that the tokens are about, or the identifier if no name is known; `nil` if the person is
        /// unknown.
        public var person: String?
        /// The reason of the event, if there is one.
        public var reason: String?
    }

    /// The users: at ThunderID in the order of their user names, at other servers in the order of their addition.
    public var people: [Person] = []
    /// The flows. Flows that the server has not closed come first, even if they failed or expired. At most 100 closed
    /// flows follow, latest first.
    public var flows: [Flow] = []
    /// The issued tokens, newest first. InsForge and ThunderID report only the last 500.
    public var tokens: [Token] = []
    /// The last 500 events of tokens since the server's start, and the expiries of ``tokens``, newest first.
    public var tokenEvents: [TokenEvent] = []
    /// The messages, newest first.
    public var messages: [Message] = []
}
