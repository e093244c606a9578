extension LocalThunderIDServer {
    /// A connection to another identity provider, which the local server plays itself under `/upstream/authorize`.
    public struct Connection: Sendable, Equatable {
        /// Reactions of the other provider to a browser.
        public enum Answer: Sendable, Equatable {
            /// Redirects with a code for this user; `nil` for the first one.
            case signsIn(userID: String? = nil)
            /// Sends them back with this error and no code.
            case refuses(error: String)
        }

        public var name: String
        /// The exact address to which the other provider sends the browser. An app can take over only what it owns; a
        /// path, such as `/gate/signin`, is one of this server's own pages.
        public var redirectURI: String
        /// How the assertion names this way of signing in.
        public var authenticator: String
        /// The reaction of the other provider.
        public var answer: Answer

        /// A provider that knows the first user and leads back to the demo application.
        public init(
            name: String = "Upstream", redirectURI: String = "com.example.app://federated",
            authenticator: String = "OIDCAuthenticator", answer: Answer = .signsIn()
        ) {
            (self.name, self.redirectURI, self.authenticator) = (name, redirectURI, authenticator)
            self.answer = answer
        }
    }
}
