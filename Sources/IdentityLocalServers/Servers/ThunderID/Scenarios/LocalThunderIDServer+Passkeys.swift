extension LocalThunderIDServer {
    /// The domain that passkeys are for, and the origins from which they may be used.
    public struct Passkeys: Sendable {
        public var relyingPartyID: String
        /// The name shown to people.
        public var relyingPartyName: String
        /// The origins of `clientDataJSON` that are taken. That of an app's own passkey is `https://` and the relying
        /// party's id.
        public var allowedOrigins: [String]
        /// User verification that the authenticator must do.
        public var userVerification: String
        public var timeout: Int64

        /// A relying party whose site and whose apps may use its passkeys.
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
