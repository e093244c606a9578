enum FlowTask: Sendable {
    typealias Channel = LocalThunderIDServer.SignInFlow.Channel

    // Sign-in
    case authenticate, identify, authorize, assert
    case generateCode, sendCode(Channel), verifyCode(Channel)
    case sendMagicLink, verifyMagicLink
    case challengePasskey, verifyPasskey, offerPasskey, registerPasskey
    case federate(LocalThunderIDServer.Connection)
    case askConsent(LocalThunderIDServer.SignInFlow.Consent)
    case checkSession, keepSession

    // Users
    case resolveUserType, resolveOrganizationUnit, requireNewUser, provision, collectAttributes, setPassword
    case identifyForRecovery, mailInvitation, shareInvitation, verifyInvitation(ref: String)

    // Around it
    case endSession(LocalThunderIDServer.SignOutConfirmation), requirePermission(String), refuse(APIError)

    /// Whether what it waits for came out of band and stands in for the challenge token.
    var isResumedByToken: Bool {
        switch self {
        case .verifyMagicLink, .verifyInvitation: true
        default: false
        }
    }
}

extension LocalThunderIDServer {
    /// When a sign-out flow asks before it ends the session.
    public enum SignOutConfirmation: Sendable, CaseIterable {
        case never
        /// When no ID token hint shows that the request is the user's own.
        case withoutHint
        case always
    }
}
