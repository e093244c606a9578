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

    // Tasks for users.
    case resolveUserType, resolveOrganizationUnit, requireNewUser, provision, collectAttributes, setPassword
    case identifyForRecovery, mailInvitation, shareInvitation, verifyInvitation(ref: String)

    // Tasks for sessions and permissions.
    case endSession(LocalThunderIDServer.SignOutConfirmation), requirePermission(String), refuse(APIError)

    /// Whether a value that the person receives out of band replaces the challenge token.
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
        case never
        /// Ask if no ID token hint shows that the request is the user's own.
        case withoutHint
        case always
    }
}
