import Foundation
import IdentityKit

/// The activity of a local server, without anything that opens a session: for developers.
public struct LocalServerReport: Sendable, Equatable {
    /// A user who can sign in.
    public struct Person: Sendable, Equatable {
        /// The subject identifier.
        public var id: String
        /// What is typed to sign in.
        public var name: String
        /// The address, when there is one.
        public var email: String?
        /// The name, the address and the user name, as an app shows them.
        public var profile = AccountProfile()
        /// What is unusual about the user, such as `inactive`.
        public var remark: String?
    }

    /// A sign-in, sign-up, recovery or sign-out, in progress or ended.
    public struct Flow: Sendable, Equatable {
        /// How far it has come.
        public enum State: String, Sendable {
            /// It waits for the person.
            case inProgress = "in progress"
            /// It succeeded.
            case completed
            /// It failed.
            case failed
            /// Its time is over.
            case expired
        }

        /// The execution or the grant.
        public var id: String
        /// What it is for.
        public var kind: String
        /// The client that started it.
        public var client: String?
        /// Who it is about, once that is known.
        public var person: String?
        /// How far it has come.
        public var state: State
        /// Where it stands, or why it failed.
        public var detail: String?
    }

    /// A token that was issued. Its value is not here.
    public struct Token: Sendable, Equatable {
        /// What it is good for.
        public enum Kind: String, Sendable, Codable {
            /// Calls an API.
            case access
            /// Gets the next access token.
            case refresh
            /// Says who signed in.
            case id
            /// Is exchanged for the others at the end of a native flow.
            case assertion
        }

        /// Its state now.
        public enum State: String, Sendable {
            /// It works.
            case good
            /// It was used, and works once.
            case spent
            /// It was revoked.
            case revoked
            /// Its time is over.
            case expired
        }

        /// What it is good for.
        public var kind: Kind
        /// The client it was issued to.
        public var client: String?
        /// Whose it is, as people know them.
        public var person: String
        /// The subject identifier of whose it is.
        public var personID: String
        /// When it was issued.
        public var issuedAt: Date
        /// When it ends.
        public var expiresAt: Date
        /// The sign-in it comes from, where the server knows.
        public var family: String?
        /// Its state now.
        public var state: State
    }

    /// Something the server would have sent to a person. Its code and link are included.
    public struct Message: Sendable, Equatable {
        /// The address or number.
        public var recipient: String
        /// What it is for.
        public var purpose: String
        /// What is to be typed, when it is a code.
        public var code: String?
        /// What is to be opened, when it is a link.
        public var link: String?
    }

    /// Something that happened to the tokens of a sign-in.
    public struct TokenEvent: Sendable, Equatable {
        /// What happened.
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

        /// What happened.
        public var kind: Kind
        /// When it happened.
        public var date: Date
        /// The client that the tokens are for.
        public var client: String?
        /// Whose tokens they are.
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
    /// What happened to the tokens since the server started, newest first.
    public var tokenEvents: [TokenEvent] = []
    /// The messages, newest first.
    public var messages: [Message] = []
}
