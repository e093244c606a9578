extension LocalThunderIDServer {
    /// The registration flow as an administrator has put it together. The default is the one a server is delivered with
    /// (contract 1.10): it ends without an assertion.
    public struct RegistrationFlow: Sendable {
        /// Whether it begins with an e-mail address, to which a link is sent that goes on.
        public var byInvitation: Bool
        /// Whether whoever registers is signed in, as in the Console's variant.
        public var endsSignedIn: Bool

        /// Open to everybody, and without an assertion at the end.
        public init(byInvitation: Bool = false, endsSignedIn: Bool = false) {
            self.byInvitation = byInvitation
            self.endsSignedIn = endsSignedIn
        }
    }
}
