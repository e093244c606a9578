/// A provider of one account that keeps its access tokens in memory only and requests them without a person.
package protocol TokenRequestingProvider: AccountProvider {
    /// Whether a valid access token is available without a request. Without such a token the provider is configured,
    /// but its account does not count as signed in.
    var hasToken: Bool { get }
}
