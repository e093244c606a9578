extension LocalThunderIDServer {
    /// A connection to another identity provider, which the local server itself simulates under `/upstream/authorize`.
    public struct Connection: Sendable, Equatable {
        /// Reactions of the other provider to a browser.
        public enum Answer: Sendable, Equatable {
            /// Redirects with a code for this user; `nil` for the first one.
            case signsIn(userID: String? = nil)
            /// Redirects with this error instead of a code.
            case refuses(error: String)
        }

        public var name: String
        /// The exact address to which the other provider redirects. An app can receive only an address that it owns; a
        /// path, such as `/gate/signin`, is one of this server's own pages.
        public var redirectURI: String
        /// The name of this authenticator in assertions.
        public var authenticator: String
        /// The reaction of the other provider.
        public var answer: Answer

        /// Creates a connection whose provider signs in the first user and redirects to the demo application.
        public init(
            name: String = "Upstream", redirectURI: String = "com.example.app://federated",
            authenticator: String = "OIDCAuthenticator", answer: Answer = .signsIn()
        ) {
            (self.name, self.redirectURI, self.authenticator) = (name, redirectURI, authenticator)
            self.answer = answer
        }
    }
}
