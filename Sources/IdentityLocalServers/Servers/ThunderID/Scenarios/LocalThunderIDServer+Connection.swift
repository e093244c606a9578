extension LocalThunderIDServer {
    /// A connection to another identity provider. The local server itself simulates that provider under
    /// `/upstream/authorize`.
    public struct Connection: Sendable, Equatable {
        /// Possible responses of the other provider to a browser that a flow redirects there.
        public enum Answer: Sendable, Equatable {
            /// Redirects with an authorization code for this user; `nil` for
            /// ``LocalThunderIDServer/Configuration/user``.
            case signsIn(userID: String? = nil)
            /// Redirects with this error instead of an authorization code.
            case refuses(error: String)
        }

        public var name: String
        /// The address to which the other provider redirects the browser: an address of the app, such as one with the app's
        /// own scheme, or the path of a page of this server, such as `/gate/signin`.
        public var redirectURI: String
        /// The name under which assertions list a sign-in through this connection (`assurance.authenticators`).
        public var authenticator: String
        /// The reaction of the other provider to every browser that arrives there.
        public var answer: Answer

        /// Creates a connection. By default, the provider signs in the configuration's user, and redirects to the scheme
        /// `com.example.app`, which the default application has.
        public init(
            name: String = "Upstream", redirectURI: String = "com.example.app://federated",
            authenticator: String = "OIDCAuthenticator", answer: Answer = .signsIn()
        ) {
            (self.name, self.redirectURI, self.authenticator) = (name, redirectURI, authenticator)
            self.answer = answer
        }
    }
}
