import Foundation

/// How long an access token has to last.
public enum TokenFreshness: Hashable, Sendable {
    /// At least this long from now, for a program that uses one token for its whole run. A token of unknown expiry is
    /// assumed to last.
    case lasting(Duration)
    /// A new token, which replaces the current one whenever that ends.
    case new

    /// Whether a token that expires at `end` does not last long enough.
    package func isMissed(by end: Date?, at now: Date) -> Bool {
        switch self {
        case .new: true
        case .lasting(let duration): end.map { $0.timeIntervalSince(now) < duration / .seconds(1) } ?? false
        }
    }
}

extension AccountProvider {
    /// The current token for ``TokenFreshness/lasting(_:)``, and another one for ``TokenFreshness/new``: the behavior
    /// of a provider that does not know when its tokens expire.
    /// - Throws: as ``IdentityProvider/accessToken(for:scopes:)``, and what ``accessToken(for:scopes:replacing:)``
    ///   throws.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, freshness: TokenFreshness
    ) async throws -> String {
        let token = try await accessToken(for: accountID, scopes: scopes)
        guard freshness == .new else { return token }
        return try await accessToken(for: accountID, scopes: scopes, replacing: token)
    }
}
