import Foundation

/// How fresh an access token must be for a caller: valid for a certain time, or newly issued.
public enum TokenFreshness: Hashable, Sendable {
    /// The token lasts at least this long from now, for a program that uses one token for its whole run. A token of
    /// unknown expiry is assumed to last long enough.
    case lasting(Duration)
    /// The token is a new one, even if the current token has not expired.
    case new

    /// Whether a token that expires at `end` does not last long enough; always `true` for ``new``. If `end` is `nil`,
    /// the expiry is unknown, and the token is assumed to last long enough.
    package func isMissed(by end: Date?, at now: Date) -> Bool {
        switch self {
        case .new: true
        case .lasting(let duration): end.map { $0.timeIntervalSince(now) < duration / .seconds(1) } ?? false
        }
    }
}

extension AccountProvider {
    /// Returns the current token for ``TokenFreshness/lasting(_:)``, and another token for ``TokenFreshness/new``. A
    /// provider that does not know when its tokens expire cannot do more.
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
