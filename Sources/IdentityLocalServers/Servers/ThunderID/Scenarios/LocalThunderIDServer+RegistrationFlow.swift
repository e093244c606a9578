extension LocalThunderIDServer {
    /// The registration flow as an administrator has put it together. The default is the one a server is delivered
    /// with: it ends without an assertion.
    public struct RegistrationFlow: Sendable {
        /// Whether it begins with an e-mail address, to which a link is sent that continues the flow.
        public var byInvitation: Bool
        /// Whether the new user is signed in at the end, as in the Console's variant.
        public var endsSignedIn: Bool

        /// Open to every person, and without an assertion at the end.
        public init(byInvitation: Bool = false, endsSignedIn: Bool = false) {
            self.byInvitation = byInvitation
            self.endsSignedIn = endsSignedIn
        }
    }
}
