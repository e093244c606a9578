extension LocalThunderIDServer {
    /// The relying party of passkeys: its domain, and the origins from which they may be used.
    public struct Passkeys: Sendable {
        public var relyingPartyID: String
        /// The name shown to people.
        public var relyingPartyName: String
        /// The accepted origins in `clientDataJSON`. An app's is `https://` followed by the relying party's identifier.
        public var allowedOrigins: [String]
        /// The demand for user verification by the authenticator, such as `required`.
        public var userVerification: String
        public var timeout: Int64

        /// Creates a relying party, whose passkeys its site and its apps may use.
        public init(
            relyingPartyID: String = "example.com", relyingPartyName: String = "Example",
            allowedOrigins: [String] = ["https://localhost:8090", "https://example.com"],
            userVerification: String = "preferred", timeout: Int64 = 60_000
        ) {
            (self.relyingPartyID, self.relyingPartyName) = (relyingPartyID, relyingPartyName)
            (self.allowedOrigins, self.userVerification, self.timeout) = (allowedOrigins, userVerification, timeout)
        }
    }
}
