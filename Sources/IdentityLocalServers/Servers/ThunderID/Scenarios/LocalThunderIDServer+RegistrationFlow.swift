extension LocalThunderIDServer {
    /// The registration flow of an administrator. The default is the built-in one, which ends without an assertion.
    public struct RegistrationFlow: Sendable {
        /// Whether the flow begins with an e-mail address, to which a link is sent that continues it.
        public var byInvitation: Bool
        /// Whether the flow ends with the new user signed in, as in the Console's variant.
        public var endsSignedIn: Bool

        /// Creates a flow, by default one that everybody may start and that ends without an assertion.
        public init(byInvitation: Bool = false, endsSignedIn: Bool = false) {
            self.byInvitation = byInvitation
            self.endsSignedIn = endsSignedIn
        }
    }
}
