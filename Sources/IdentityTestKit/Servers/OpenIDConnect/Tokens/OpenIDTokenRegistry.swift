#if Tools
import Foundation
import IdentityKit

/// The access and refresh tokens that were handed out. They are opaque: what they mean is known here alone.
final class OpenIDTokenRegistry: Sendable {
    struct AccessToken: Sendable {
        let grant: OpenIDGrant
        let scopes: [String]
        let issuedAt: Date
        let expiresAt: Date
    }

    struct RefreshToken: Sendable {
        let grant: OpenIDGrant
        let expiresAt: Date
        /// When it was exchanged first.
        var spentAt: Date?
    }

    /// What became of an attempt to exchange a refresh token.
    enum Exchange: Sendable {
        case granted(RefreshToken)
        case replayed(familyID: String)
        case unknown
    }

    private struct State: Sendable {
        var accessTokens: [String: AccessToken] = [:]
        var refreshTokens: [String: RefreshToken] = [:]
        var revokedFamilies: Set<String> = []
    }

    private let state = Locked(State())
    private let configuration: LocalOpenIDConnectServer.Configuration
    private let time: TimeSource

    init(_ configuration: LocalOpenIDConnectServer.Configuration, time: TimeSource) {
        self.configuration = configuration
        self.time = time
    }

    /// Hands out an access token.
    func issueAccessToken(for grant: OpenIDGrant, scopes: [String]) -> String {
        let text = "at-" + LocalIdentifiers.base64URL(byteCount: 24)
        let now = time.now
        let token = AccessToken(
            grant: grant, scopes: scopes, issuedAt: now,
            expiresAt: now + configuration.accessTokenLifetime.timeInterval)
        state.withLock { $0.accessTokens[text] = token }
        return text
    }

    /// Hands out a refresh token.
    /// - Parameter expiry: the first token's, which its successors keep.
    func issueRefreshToken(for grant: OpenIDGrant, expiry: Date? = nil) -> String {
        let text = "rt-" + LocalIdentifiers.base64URL(byteCount: 24)
        let token = RefreshToken(
            grant: grant, expiresAt: expiry ?? time.now + configuration.refreshTokenLifetime.timeInterval)
        state.withLock { $0.refreshTokens[text] = token }
        return text
    }

    /// The meaning of an access token that is good now.
    func accessToken(_ text: String) -> AccessToken? {
        state.withLock { state in
            state.accessTokens[text].flatMap { token in
                time.now < token.expiresAt && !state.revokedFamilies.contains(token.grant.id) ? token : nil
            }
        }
    }

    /// The meaning of a refresh token that is good now.
    func refreshToken(_ text: String) -> RefreshToken? {
        state.withLock { state in
            state.refreshTokens[text].flatMap { token in
                guard time.now < token.expiresAt, !state.revokedFamilies.contains(token.grant.id) else { return nil }
                return isSpent(token) ? nil : token
            }
        }
    }

    /// Exchanges a refresh token. Of two exchanges at the same moment one is a replay, when they are `spending` it.
    func exchange(_ text: String, clientID: String, spending: Bool) -> Exchange {
        state.withLock { state in
            guard let token = state.refreshTokens[text], token.grant.clientID == clientID, time.now < token.expiresAt,
                !state.revokedFamilies.contains(token.grant.id)
            else { return .unknown }
            guard !isSpent(token) else { return .replayed(familyID: token.grant.id) }
            // One exchanged again within the grace keeps its first time, so that the grace ends.
            if spending, token.spentAt == nil {
                state.refreshTokens[text]?.spentAt = time.now
            }
            return .granted(token)
        }
    }

    /// Whose token this is, good or not: its client and family, and whether it is a refresh token.
    func owner(of text: String) -> (clientID: String, familyID: String, isRefreshToken: Bool)? {
        state.withLock { state in
            if let token = state.refreshTokens[text] { return (token.grant.clientID, token.grant.id, true) }
            return state.accessTokens[text].map { ($0.grant.clientID, $0.grant.id, false) }
        }
    }

    /// Revokes one access token.
    func revokeAccessToken(_ text: String) {
        state.withLock { $0.accessTokens[text] = nil }
    }

    /// Revokes a family; false when it was revoked before.
    func revokeFamily(_ id: String) -> Bool {
        state.withLock { $0.revokedFamilies.insert(id).inserted }
    }

    /// Revokes what a user has and says how many families that were.
    func revokeAll(ofUser userID: String) -> Int {
        let families = state.withLock { state in
            Set(state.accessTokens.values.map(\.grant) + state.refreshTokens.values.map(\.grant))
        }
        return families.filter { $0.subject == userID }.count { revokeFamily($0.id) }
    }

    private func isSpent(_ token: RefreshToken) -> Bool {
        token.spentAt.map { time.now >= $0 + configuration.rotationGrace.timeInterval } ?? false
    }
}

extension OpenIDGrant: Hashable {
    static func == (one: OpenIDGrant, other: OpenIDGrant) -> Bool { one.id == other.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
#endif
