import Foundation
import IdentityKit

/// The tokens that were handed out. Access and refresh tokens are opaque: what they mean is known here alone. The tokens
/// themselves are not: each is known by its hash. Of ID tokens, which say themselves what they mean, it is known that they
/// were handed out.
final class OpenIDTokenRegistry: Sendable {
    struct AccessToken: Codable, Sendable {
        let grant: OpenIDGrant
        let scopes: [String]
        let issuedAt: Date
        let expiresAt: Date
    }

    struct RefreshToken: Codable, Sendable {
        let grant: OpenIDGrant
        let issuedAt: Date
        let expiresAt: Date
        /// When it was exchanged first.
        var spentAt: Date?
    }

    struct IDToken: Codable, Sendable {
        let grant: OpenIDGrant
        let issuedAt: Date
        let expiresAt: Date
    }

    /// What became of an attempt to exchange a refresh token.
    enum Exchange: Sendable {
        case granted(RefreshToken)
        case replayed(familyID: String)
        case unknown
    }

    /// All of them, as they are saved.
    struct State: Codable, Sendable {
        fileprivate(set) var accessTokens: [String: AccessToken] = [:]
        fileprivate(set) var refreshTokens: [String: RefreshToken] = [:]
        fileprivate(set) var revokedFamilies: Set<String> = []
        /// Oldest first; an earlier version kept none.
        fileprivate(set) var idTokens: [IDToken]?
    }

    /// More than a person reads; a program that never stops must not fill the memory.
    private static let keptIDTokens = 500

    private let state: Locked<State>
    private let configuration: LocalOpenIDConnectServer.Configuration
    private let time: TimeSource

    /// - Parameter saved: the tokens of an earlier start.
    init(
        _ configuration: LocalOpenIDConnectServer.Configuration, restoring saved: State? = nil, time: TimeSource
    ) {
        state = Locked(saved ?? State())
        self.configuration = configuration
        self.time = time
    }

    /// The tokens whose time has not passed, to be saved.
    var saved: State {
        let now = time.now
        return state.withLock { state in
            let access = state.accessTokens.filter { now < $0.value.expiresAt }
            let refresh = state.refreshTokens.filter { now < $0.value.expiresAt }
            let families = Set(access.values.map(\.grant.id) + refresh.values.map(\.grant.id))
            return State(
                accessTokens: access, refreshTokens: refresh,
                revokedFamilies: state.revokedFamilies.intersection(families),
                idTokens: state.idTokens?.filter { now < $0.expiresAt })
        }
    }

    /// What was handed out, newest first, with the state of now.
    var report: [LocalServerReport.Token] {
        let now = time.now
        let state = state.withLock { $0 }
        func token(
            _ kind: LocalServerReport.Token.Kind, _ grant: OpenIDGrant, from start: Date, to end: Date, isSpent: Bool
        ) -> LocalServerReport.Token {
            let worth: LocalServerReport.Token.State =
                if state.revokedFamilies.contains(grant.id) { .revoked } else if now >= end { .expired } else {
                    isSpent ? .spent : .good
                }
            return LocalServerReport.Token(
                kind: kind, client: grant.clientID, person: grant.subject, issuedAt: start, expiresAt: end,
                family: grant.id, state: worth)
        }
        let access = state.accessTokens.values.map {
            token(.access, $0.grant, from: $0.issuedAt, to: $0.expiresAt, isSpent: false)
        }
        let refresh = state.refreshTokens.values.map {
            token(.refresh, $0.grant, from: $0.issuedAt, to: $0.expiresAt, isSpent: isSpent($0))
        }
        let id = (state.idTokens ?? []).map {
            token(.id, $0.grant, from: $0.issuedAt, to: $0.expiresAt, isSpent: false)
        }
        return (access + refresh + id).sorted { $0.issuedAt > $1.issuedAt }
    }

    /// What people and clients were granted, newest first.
    var grants: [OpenIDGrant] {
        let all = state.withLock { state in
            state.accessTokens.values.map { ($0.issuedAt, $0.grant) }
                + state.refreshTokens.values.map { ($0.issuedAt, $0.grant) }
        }
        var seen: Set<String> = []
        return all.sorted { $0.0 > $1.0 }.map(\.1).filter { seen.insert($0.id).inserted }
    }

    private static func key(_ text: String) -> String { LocalIdentifiers.hex(sha256(Data(text.utf8))) }

    /// Hands out an access token.
    func issueAccessToken(for grant: OpenIDGrant, scopes: [String]) -> String {
        let text = "at-" + LocalIdentifiers.base64URL(byteCount: 24)
        let now = time.now
        let token = AccessToken(
            grant: grant, scopes: scopes, issuedAt: now,
            expiresAt: now + configuration.accessTokenLifetime.timeInterval)
        state.withLock { $0.accessTokens[Self.key(text)] = token }
        return text
    }

    /// Hands out a refresh token.
    /// - Parameter expiry: the first token's, which its successors keep.
    func issueRefreshToken(for grant: OpenIDGrant, expiry: Date? = nil) -> String {
        let text = "rt-" + LocalIdentifiers.base64URL(byteCount: 24)
        let token = RefreshToken(
            grant: grant, issuedAt: time.now,
            expiresAt: expiry ?? time.now + configuration.refreshTokenLifetime.timeInterval)
        state.withLock { $0.refreshTokens[Self.key(text)] = token }
        return text
    }

    /// Notes that an ID token was handed out.
    func noteIDToken(for grant: OpenIDGrant) {
        let now = time.now
        let token = IDToken(
            grant: grant, issuedAt: now, expiresAt: now + configuration.idTokenLifetime.timeInterval)
        state.withLock { state in
            state.idTokens = (state.idTokens ?? []).suffix(Self.keptIDTokens - 1) + [token]
        }
    }

    /// The meaning of an access token that is good now.
    func accessToken(_ text: String) -> AccessToken? {
        state.withLock { state in
            state.accessTokens[Self.key(text)].flatMap { token in
                time.now < token.expiresAt && !state.revokedFamilies.contains(token.grant.id) ? token : nil
            }
        }
    }

    /// The meaning of a refresh token that is good now.
    func refreshToken(_ text: String) -> RefreshToken? {
        state.withLock { state in
            state.refreshTokens[Self.key(text)].flatMap { token in
                guard time.now < token.expiresAt, !state.revokedFamilies.contains(token.grant.id) else { return nil }
                return isSpent(token) ? nil : token
            }
        }
    }

    /// Exchanges a refresh token. Of two exchanges at the same moment one is a replay, when they are `spending` it.
    func exchange(_ text: String, clientID: String, spending: Bool) -> Exchange {
        state.withLock { state in
            guard let token = state.refreshTokens[Self.key(text)], token.grant.clientID == clientID,
                time.now < token.expiresAt,
                !state.revokedFamilies.contains(token.grant.id)
            else { return .unknown }
            guard !isSpent(token) else { return .replayed(familyID: token.grant.id) }
            // One exchanged again within the grace keeps its first time, so that the grace ends.
            if spending, token.spentAt == nil {
                state.refreshTokens[Self.key(text)]?.spentAt = time.now
            }
            return .granted(token)
        }
    }

    /// Whose token this is, good or not: its client and family, and whether it is a refresh token.
    func owner(of text: String) -> (clientID: String, familyID: String, isRefreshToken: Bool)? {
        state.withLock { state in
            if let token = state.refreshTokens[Self.key(text)] { return (token.grant.clientID, token.grant.id, true) }
            return state.accessTokens[Self.key(text)].map { ($0.grant.clientID, $0.grant.id, false) }
        }
    }

    /// Revokes one access token.
    func revokeAccessToken(_ text: String) {
        state.withLock { $0.accessTokens[Self.key(text)] = nil }
    }

    /// Revokes a family; false when it was revoked before.
    func revokeFamily(_ id: String) -> Bool {
        state.withLock { $0.revokedFamilies.insert(id).inserted }
    }

    /// Revokes every family and says how many that were.
    func revokeAll() -> Int {
        grants.count { revokeFamily($0.id) }
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
