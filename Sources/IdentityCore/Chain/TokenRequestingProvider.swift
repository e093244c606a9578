/// A provider of one account whose access tokens are in memory, and are requested when they are needed.
package protocol TokenRequestingProvider: AccountProvider {
    /// Whether there is a token now. Without one the provider is configured, and its account is not signed in.
    var hasToken: Bool { get }
}
