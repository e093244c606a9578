extension LocalThunderIDServer {
    /// The relying party of passkeys: its domain, and the origins at which the passkeys may be used.
    public struct Passkeys: Sendable {
        /// The domain to which the passkeys belong (`rpId`).
        public var relyingPartyID: String
        /// The name that a device shows when it creates a passkey (`rp.name`).
        public var relyingPartyName: String
        /// The accepted values of `origin` in `clientDataJSON`. An app's origin is `https://` followed by the relying party's
        /// identifier.
        public var allowedOrigins: [String]
        /// The `userVerification` of the passkey options: `required`, `preferred` or `discouraged`. The server checks only
        /// `required`: it then refuses a passkey that was used without user verification.
        public var userVerification: String
        /// The `timeout` of the passkey options, in milliseconds. The server itself does not enforce it.
        public var timeout: Int64

        /// Creates a relying party, by default `example.com`, which also accepts passkeys used at `https://localhost:8090`.
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
