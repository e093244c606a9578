import Foundation

extension IdentityProvider {
    /// Wraps this provider for a chain or a client, so that some errors of a lookup or a sign-in count as "no account". The
    /// chain or client still uses all methods of a wrapped ``AccountProvider``.
    ///
    /// A chain stops at an error, because a wrong account is worse than none. Use this where an error means that the
    /// provider does not apply, so that the chain tries the next one. Errors of getting a token stay errors.
    /// - Parameter isUnavailable: whether an error means that the provider does not apply.
    public func treatingAsUnavailable(
        _ isUnavailable: @escaping @Sendable (any Error) -> Bool
    ) -> some IdentityProvider {
        LenientProvider(base: self, isUnavailable: isUnavailable)
    }
}

/// A wrapper that makes some errors of a provider count as "no account". A chain's link takes the provider out of the
/// wrapper, and applies `isUnavailable` itself.
struct LenientProvider: IdentityProvider {
    let base: any IdentityProvider
    let isUnavailable: @Sendable (any Error) -> Bool

    var mayShowSignIn: Bool { base.mayShowSignIn }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        do {
            return try await base.activeAccount(scopes: scopes, deviceToken: deviceToken)
        } catch  where isUnavailable(error) {
            return nil
        }
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await base.accessToken(for: accountID, scopes: scopes)
    }
}
