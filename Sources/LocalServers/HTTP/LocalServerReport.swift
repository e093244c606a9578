import Foundation
import IdentityKit

/// What goes on in a local server, without anything that opens a session: for a person who develops against it.
public struct LocalServerReport: Sendable, Equatable {
    /// Somebody who can sign in.
    public struct Person: Sendable, Equatable {
        /// The subject identifier.
        public var id: String
        /// What is typed to sign in.
        public var name: String
        /// The address, when there is one.
        public var email: String?
        /// What is unusual about them, such as `inactive`.
        public var remark: String?
    }

    /// A sign-in, sign-up, recovery or sign-out on its way or at its end.
    public struct Flow: Sendable, Equatable {
        /// How far it has come.
        public enum State: String, Sendable {
            /// Somebody has still to do something.
            case inProgress = "in progress"
            /// It came to what it was for.
            case completed
            /// It came to nothing.
            case failed
            /// Nobody went on with it in time.
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

    /// A token that was handed out. Its value is not here.
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

        /// What it is worth now.
        public enum State: String, Sendable {
            /// It works.
            case good
            /// It was used, and works once.
            case spent
            /// Somebody has taken it back.
            case revoked
            /// Its time is over.
            case expired
        }

        /// What it is good for.
        public var kind: Kind
        /// The client it was issued to.
        public var client: String?
        /// Whose it is.
        public var person: String
        /// When it was handed out.
        public var issuedAt: Date
        /// When it ends.
        public var expiresAt: Date
        /// The sign-in it comes from, where the server knows.
        public var family: String?
        /// What it is worth now.
        public var state: State
    }

    /// Something the server would have sent to a person. What it proves is shown: that is what the report is for.
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

    /// The people, by their names.
    public var people: [Person] = []
    /// The flows, newest first.
    public var flows: [Flow] = []
    /// The tokens, newest first.
    public var tokens: [Token] = []
    /// The messages, newest first.
    public var messages: [Message] = []
}
