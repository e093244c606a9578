enum FlowTask: Sendable {
    typealias Channel = LocalThunderIDServer.SignInFlow.Channel

    // Tasks of a sign-in.
    case authenticate, identify, authorize, assert
    case generateCode, sendCode(Channel), verifyCode(Channel)
    case sendMagicLink, verifyMagicLink
    case challengePasskey, verifyPasskey, offerPasskey, registerPasskey
    case federate(LocalThunderIDServer.Connection)
    case askConsent(LocalThunderIDServer.SignInFlow.Consent)
    case checkSession, keepSession

    // Tasks that create or change users, and tasks for invitations.
    case resolveUserType, resolveOrganizationUnit, requireNewUser, provision, collectAttributes, setPassword
    case identifyForRecovery, mailInvitation, shareInvitation, verifyInvitation(ref: String)

    // The end of a session, the check of an administrator's permission, and a task that always fails.
    case endSession(LocalThunderIDServer.SignOutConfirmation), requirePermission(String), refuse(APIError)

    /// Whether the task expects a token that the person received out of band, so that calls need no challenge token.
    var isResumedByToken: Bool {
        switch self {
        case .verifyMagicLink, .verifyInvitation: true
        default: false
        }
    }
}

extension LocalThunderIDServer {
    /// The condition under which a sign-out flow asks before ending the session.
    public enum SignOutConfirmation: Sendable, CaseIterable {
        /// End the session without asking.
        case never
        /// Ask unless the request has an ID token hint. Only an application that signed in the user can have such a token.
        case withoutHint
        /// Ask before every sign-out.
        case always
    }
}
