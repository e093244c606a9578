import Foundation
import IdentityKit

extension AccountSummary {
    /// Whether the session ends with its access token: the token expires, and the session cannot be refreshed.
    var endsWithAccessToken: Bool {
        if case .live(let details) = session { details.expiresAt != nil && !details.canRefresh } else { false }
    }
}

/// An account, as `identity whoami` and `identity accounts` print it.
struct AccountRow: Codable, Sendable {
    let account: String
    let provider: String
    let profile: AccountProfile?
    let active: Bool
    let configured: Bool
    let state: String
    let reason: String?
    let backend: String?
    let clientID: String?
    let scopes: [String]?
    let signedInAt: Date?
    let expiresAt: Date?
    let refreshable: Bool?
    let fallback: SessionFallback?
    /// The tokens in environment variables that are ignored because this account is active; `nil` when there are none. Only
    /// `identity whoami` sets it.
    let unusedTokens: [UnusedToken]?

    private enum CodingKeys: CodingKey {
        case account, provider, profile, active, configured, state, reason, backend, clientID, scopes, signedInAt,
            expiresAt
        case refreshable, fallback, unusedTokens
    }

    /// - Parameters:
    ///   - summary: `nil` for an account without a stored session, such as the account of a token in an environment variable.
    ///   - lacksToken: whether the account belongs to a program that has no valid access token.
    init(
        _ account: AccountID, _ summary: AccountSummary?, isActive: Bool, isConfigured: Bool, lacksToken: Bool = false,
        fallback: SessionFallback? = nil, unusedTokens: [UnusedToken]? = nil
    ) {
        (self.fallback, self.unusedTokens) = (fallback, unusedTokens)
        self.account = account.id
        provider = account.realm
        profile = summary?.profile
        active = isActive
        configured = isConfigured
        var details: AccountSummary.Details?
        switch summary?.session {
        case .live(let live)?: (state, reason, details) = ("signed-in", nil, live)
        case .suspended(let kept, let suspension)?: (state, reason, details) = ("suspended", suspension.reason, kept)
        case .ended(let why)?: (state, reason) = ("ended", why)
        case .kept(let kept, let why)?: (state, reason, details) = ("kept", why, kept)
        case nil where lacksToken: (state, reason) = ("configured", "it has no token so far")
        case nil: (state, reason) = ("given", nil)
        }
        backend = details?.backend
        clientID = details?.clientID
        scopes = details.map { $0.scopes.sorted() }
        signedInAt = details?.signedInAt
        expiresAt = details?.expiresAt
        refreshable = details?.canRefresh
    }

    /// Whether the account belongs to a program, such as a workload, that has no valid access token.
    var isWithoutToken: Bool { state == "configured" }

    var inWords: String { AccountID(id: account)?.inWords(profile) ?? account }

    var stateInWords: String {
        guard configured else { return "\(state): no provider \(provider) is configured" }
        if let reason { return "\(state): \(reason)" }
        guard let backend else { return state }
        return "at \(backend)"
    }
}
