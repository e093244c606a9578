/// The purpose of a flow. The raw value is the server's name for the purpose.
public enum FlowType: String, Sendable, Hashable, Codable, CaseIterable {
    case authentication = "AUTHENTICATION"
    case registration = "REGISTRATION"
    /// Regaining access to an account whose password is forgotten.
    case recovery = "RECOVERY"
    /// The creation of an account by an administrator, completed by the invited person.
    case userOnboarding = "USER_ONBOARDING"
    /// The end of the session at the server. ``ThunderIDClient/signOut(options:sessionId:)`` ends the app's session.
    case signOut = "SIGNOUT"

    /// The name of ``recovery`` in ThunderID's SDK.
    public static let passwordRecovery = FlowType.recovery
    /// The name of ``userOnboarding`` in ThunderID's SDK.
    public static let invitedUserRegistration = FlowType.userOnboarding
}
