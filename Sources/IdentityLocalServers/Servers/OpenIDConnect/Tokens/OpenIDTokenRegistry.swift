import Foundation
import IdentityKit

/// The tokens that were issued. Access and refresh tokens are opaque, and only their hashes are kept. Of ID tokens, which
/// carry their own meaning, only the fact that they were issued is kept.
final class OpenIDTokenRegistry: RevocableTokens {
    struct Token: Codable, Sendable {
        let grant: OpenIDGrant
        /// The scopes of an access token, which may be fewer than the grant's.
        var scopes: [String]?
        /// The resource of an access token that names one.
        var audience: String?
        let issuedAt: Date
        let expiresAt: Date
        /// When a refresh token was exchanged first.
        var spentAt: Date?

        var grantedScopes: [String] { scopes ?? grant.scopes }
    }

    /// The result of an attempt to exchange a refresh token.
    enum Exchange: Sendable {
        case granted(Token)
        case replayed(familyID: String)
        case unknown
    }

    /// All tokens, as they are saved.
    struct State: Codable, Sendable {
        fileprivate(set) var accessTokens: [String: Token] = [:]
        fileprivate(set) var refreshTokens: [String: Token] = [:]
        fileprivate(set) var revokedFamilies: Set<String> = []
        fileprivate(set) var idTokens: [Token] = []

        fileprivate func isGood(_ token: Token, at now: Date) -> Bool {
            now < token.expiresAt && !revokedFamilies.contains(token.grant.id)
        }
    }

    /// A limit, so that a server that runs for long does not fill the memory.
    private static let keptIDTokens = 500

    private let state: Locked<State>
    private let configuration: LocalOpenIDConnectServer.Configuration
    private let time: TimeSource

    /// - Parameter saved: the tokens of an earlier start.
    init(_ configuration: LocalOpenIDConnectServer.Configuration, restoring saved: State? = nil, time: TimeSource) {
        state = Locked(saved ?? State())
        self.configuration = configuration
        self.time = time
    }

    /// The tokens that have not expired, to be saved.
    var saved: State {
        let now = time.now
        return state.withLock { state in
            let access = state.accessTokens.filter { now < $0.value.expiresAt }
            let refresh = state.refreshTokens.filter { now < $0.value.expiresAt }
            let families = Set(access.values.map(\.grant.id) + refresh.values.map(\.grant.id))
            return State(
                accessTokens: access, refreshTokens: refresh,
                revokedFamilies: state.revokedFamilies.intersection(families),
                idTokens: state.idTokens.filter { now < $0.expiresAt })
        }
    }

    /// Issued tokens, newest first, with their present state.
    var report: [LocalServerReport.Token] {
        let now = time.now
        let state = state.withLock { $0 }
        func reported(_ kind: LocalServerReport.Token.Kind, _ token: Token) -> LocalServerReport.Token {
            let worth: LocalServerReport.Token.State =
                if state.revokedFamilies.contains(token.grant.id) { .revoked } else if now >= token.expiresAt {
                    .expired
                } else { isSpent(token) ? .spent : .good }
            return LocalServerReport.Token(
                kind: kind, client: token.grant.clientID, person: token.grant.subject,
                personID: token.grant.subject, issuedAt: token.issuedAt,
                expiresAt: token.expiresAt, family: token.grant.id, state: worth)
        }
        let access = state.accessTokens.values.map { reported(.access, $0) }
        let refresh = state.refreshTokens.values.map { reported(.refresh, $0) }
        let id = state.idTokens.map { reported(.id, $0) }
        return (access + refresh + id).sorted { $0.issuedAt > $1.issuedAt }
    }

    /// Grants of users and clients, newest first.
    var grants: [OpenIDGrant] {
        let tokens = state.withLock { Array($0.accessTokens.values) + $0.refreshTokens.values }
        var seen: Set<String> = []
        return tokens.sorted { $0.issuedAt > $1.issuedAt }.map(\.grant).filter { seen.insert($0.id).inserted }
    }

    private static func key(_ text: String) -> String { LocalIdentifiers.hex(sha256(Data(text.utf8))) }

    private func token(
        for grant: OpenIDGrant, scopes: [String]? = nil, lifetime: Duration, expiry: Date? = nil
    ) -> Token {
        let now = time.now
        return Token(grant: grant, scopes: scopes, issuedAt: now, expiresAt: expiry ?? now + lifetime.timeInterval)
    }

    func issueAccessToken(for grant: OpenIDGrant, scopes: [String], audience: String? = nil) -> String {
        let named = configuration.resourceIndicators == .introspected ? nil : audience
        let text = named.map(Self.text(for:)) ?? "at-" + LocalIdentifiers.base64URL(byteCount: 24)
        var token = token(for: grant, scopes: scopes, lifetime: configuration.accessTokenLifetime)
        token.audience = audience
        state.withLock { $0.accessTokens[Self.key(text)] = token }
        return text
    }

    /// - Parameter expiry: the first token's, which its successors keep.
    func issueRefreshToken(for grant: OpenIDGrant, expiry: Date? = nil) -> String {
        let text = "rt-" + LocalIdentifiers.base64URL(byteCount: 24)
        let token = token(for: grant, lifetime: configuration.refreshTokenLifetime, expiry: expiry)
        state.withLock { $0.refreshTokens[Self.key(text)] = token }
        return text
    }

    func noteIDToken(for grant: OpenIDGrant) {
        let token = token(for: grant, lifetime: configuration.idTokenLifetime)
        state.withLock { $0.idTokens = $0.idTokens.suffix(Self.keptIDTokens - 1) + [token] }
    }

    /// The access tokens of a sign-in.
    func accessTokens(of familyID: String) -> [Token] {
        state.withLock { $0.accessTokens.values.filter { $0.grant.id == familyID } }
    }

    func accessToken(_ text: String) -> Token? {
        let now = time.now
        return state.withLock { state in
            state.accessTokens[Self.key(text)].flatMap { state.isGood($0, at: now) ? $0 : nil }
        }
    }

    func refreshToken(_ text: String) -> Token? {
        let now = time.now
        return state.withLock { state in
            state.refreshTokens[Self.key(text)].flatMap { state.isGood($0, at: now) && !isSpent($0) ? $0 : nil }
        }
    }

    /// Exchanges a refresh token. Of two exchanges at the same moment one is a replay, when they are `spending` it.
    func exchange(_ text: String, clientID: String, spending: Bool) -> Exchange {
        state.withLock { state in
            guard let token = state.refreshTokens[Self.key(text)], token.grant.clientID == clientID,
                state.isGood(token, at: time.now)
            else { return .unknown }
            guard !isSpent(token) else { return .replayed(familyID: token.grant.id) }
            // A token that is exchanged again within the grace keeps its first time, so that the grace ends.
            if spending, token.spentAt == nil { state.refreshTokens[Self.key(text)]?.spentAt = time.now }
            return .granted(token)
        }
    }

    /// The client and the family of a token, good or not, and whether it is a refresh token.
    func owner(of text: String) -> (clientID: String, familyID: String, isRefreshToken: Bool)? {
        state.withLock { state in
            if let token = state.refreshTokens[Self.key(text)] { return (token.grant.clientID, token.grant.id, true) }
            return state.accessTokens[Self.key(text)].map { ($0.grant.clientID, $0.grant.id, false) }
        }
    }

    func revokeAccessToken(_ text: String) { state.withLock { $0.accessTokens[Self.key(text)] = nil } }

    func revokeFamily(_ id: String) -> Bool { state.withLock { $0.revokedFamilies.insert(id).inserted } }

    func revokeFamilies(ofUser userID: String?) -> Int {
        grants.count { (userID == nil || $0.subject == userID) && revokeFamily($0.id) }
    }

    private func isSpent(_ token: Token) -> Bool {
        token.spentAt.map { time.now >= $0 + configuration.rotationGrace.timeInterval } ?? false
    }
}
