import Foundation

/// How fresh an access token must be for a caller.
public enum TokenFreshness: Hashable, Sendable {
    /// The token is valid. A token that expires soon is refreshed first.
    case any
    /// The token lasts at least this long from now, for a program that uses one token for its whole run. A token of
    /// unknown expiry is assumed to last long enough. A provider with sessions refreshes a token that does not last, and
    /// returns the new one even if it also expires too soon. A workload, which gets tokens without a person, and a provider
    /// that cannot refresh return their current token.
    case lasting(Duration)
    /// The token is a new one, even if the current token has not expired.
    case new
    /// The token is not the given one, which a resource server has just refused with 401. If the session already has a
    /// newer token, that token is returned without a request.
    case other(than: String)

    /// Creates ``other(than:)``, or ``any`` if no token was refused.
    package init(replacing rejectedToken: String?) {
        self = if let rejectedToken { .other(than: rejectedToken) } else { .any }
    }

    /// The token that a resource server has refused; `nil` for none.
    package var rejected: String? {
        if case .other(let token) = self { token } else { nil }
    }

    /// Whether a token that expires at `end` is not fresh enough. For ``lasting(_:)``, the token must last long enough, which
    /// is assumed if its expiry is unknown (`nil`). Always `true` for ``new``, and always `false` for ``any`` and
    /// ``other(than:)``.
    package func isMissed(by end: Date?, at now: Date) -> Bool {
        switch self {
        case .any, .other: false
        case .new: true
        case .lasting(let duration): end.map { $0.timeIntervalSince(now) < duration / .seconds(1) } ?? false
        }
    }
}

extension TokenFreshness: Reticent {
    /// Leaves out the refused token.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .any: ["freshness": "any"]
        case .lasting(let duration): ["lasting": duration]
        case .new: ["freshness": "new"]
        case .other: ["freshness": "other"]
        }
    }
}
