extension LocalThunderIDServer {
    /// The registration flow that an administrator configured. The default is the built-in flow, which ends without an
    /// assertion.
    public struct RegistrationFlow: Sendable {
        /// Whether the flow first asks for an e-mail address and sends a link to it. The flow continues with the token in
        /// that link.
        public var byInvitation: Bool
        /// Whether the flow ends with an assertion, which signs in the new user. ThunderID's Console has such a variant too.
        public var endsSignedIn: Bool

        public init(byInvitation: Bool = false, endsSignedIn: Bool = false) {
            self.byInvitation = byInvitation
            self.endsSignedIn = endsSignedIn
        }
    }
}
