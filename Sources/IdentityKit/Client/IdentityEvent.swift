/// What a client tells about who is signed in.
public enum IdentityEvent: Sendable, Equatable {
    /// This account is the active one now.
    case signedIn(AccountID)
    /// Nobody is active now.
    case signedOut
    /// Other providers are in use now.
    case configurationChanged(ConfigurationChange)
    /// A new configuration cannot be used, for this reason; the old one stays.
    case configurationRejected(String)
}
