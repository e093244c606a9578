/// The purposes of flows.
public enum FlowType: String, Sendable, Hashable, Codable, CaseIterable {
    case authentication = "AUTHENTICATION"
    case registration = "REGISTRATION"
    /// Getting back into an account whose password is forgotten.
    case recovery = "RECOVERY"
    /// An administrator makes an account for a person, who finishes it by an invitation.
    case userOnboarding = "USER_ONBOARDING"
    /// Signing out at the server.
    case signOut = "SIGNOUT"

    /// ``recovery`` by its older name.
    public static let passwordRecovery = FlowType.recovery
    /// ``userOnboarding`` by its older name.
    public static let invitedUserRegistration = FlowType.userOnboarding
}
