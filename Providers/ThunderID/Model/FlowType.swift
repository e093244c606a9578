/// The purposes of flows.
public enum FlowType: String, Sendable, Hashable, Codable, CaseIterable {
    case authentication = "AUTHENTICATION"
    case registration = "REGISTRATION"
    /// Regaining access to an account whose password is forgotten.
    case recovery = "RECOVERY"
    /// The creation of an account by an administrator, completed by the invited person.
    case userOnboarding = "USER_ONBOARDING"
    /// Signing out at the server.
    case signOut = "SIGNOUT"

    /// The older name of ``recovery``.
    public static let passwordRecovery = FlowType.recovery
    /// The older name of ``userOnboarding``.
    public static let invitedUserRegistration = FlowType.userOnboarding
}
