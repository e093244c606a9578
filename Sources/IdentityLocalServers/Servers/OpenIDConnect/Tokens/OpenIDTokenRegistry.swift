import Foundation
import IdentityKit

/// The issued tokens. Access and refresh tokens are found by the hashes of their texts, because the texts are not kept. ID
/// tokens are self-contained, so the server never looks them up and records them only for the report.
final class OpenIDTokenRegistry: Sendable {
    struct Token: Codable, Sendable {
        let grant: OpenIDGrant
        /// The scopes of an access token; `nil` for a refresh or ID token, which has the scopes of the grant.
        var scopes: [String]?
        /// The resource that an access token is for; `nil` if the server chose none, and for refresh and ID tokens.
        var audience: String?
        let issuedAt: Date
        let expiresAt: Date

        var grantedScopes: [String] { scopes ?? grant.scopes }
    }

    /// The result of an attempt to exchange a refresh token.
    enum Exchange: Sendable {
        case granted(Token)
        case replayed(familyID: String)
        case unknown
    }

    /// All tokens, in the form in which they are saved. Access and refresh tokens have their SHA-256 hashes as keys.
    struct State: Codable, Sendable {
        fileprivate(set) var accessTokens: [String: Token] = [:]
        fileprivate(set) var refreshTokens: [String: Token] = [:]
        fileprivate(set) var idTokens: [Token] = []
        fileprivate(set) var families: TokenFamilies.State?
    }

    /// The maximum number of recorded ID tokens. A further ID token replaces the oldest one, so that a long-running server does
    /// not fill the memory.
    private static let keptIDTokens = 500

    /// The token families. A family consists of all tokens of one grant, which are revoked together. Its identifier is that
    /// of the grant, and the identifier of a token is the token's hash.
    let families: TokenFamilies
    private let state: Locked<State>
    private let configuration: LocalOpenIDConnectServer.Configuration
    private let time: TimeSource

    /// - Parameter saved: the tokens of an earlier run of the server; `nil` for none.
    init(_ configuration: LocalOpenIDConnectServer.Configuration, restoring saved: State? = nil, time: TimeSource) {
        state = Locked(saved ?? State())
        families = TokenFamilies(grace: configuration.rotationGrace, restoring: saved?.families, time: time)
        self.configuration = configuration
        self.time = time
    }

    /// The unexpired tokens and their families, to save.
    var saved: State {
        let now = time.now
        return state.withLock { state in
            State(
                accessTokens: state.accessTokens.filter { now < $0.value.expiresAt },
                refreshTokens: state.refreshTokens.filter { now < $0.value.expiresAt },
                idTokens: state.idTokens.filter { now < $0.expiresAt }, families: families.saved)
        }
    }

    /// The recorded tokens, newest first, each with its current state. An access token that was revoked individually is no
    /// longer recorded.
    var report: [LocalServerReport.Token] {
        let now = time.now
        let state = state.withLock { $0 }
        func reported(
            _ kind: LocalServerReport.Token.Kind, _ token: Token, _ id: String = ""
        ) -> LocalServerReport.Token {
            let worth = families.worth(ofToken: id, family: token.grant.id)
            return LocalServerReport.Token(
                kind: kind, client: token.grant.clientID, person: token.grant.subject,
                personID: token.grant.subject, issuedAt: token.issuedAt,
                expiresAt: token.expiresAt, family: token.grant.id,
                state: worth != .revoked && now >= token.expiresAt ? .expired : worth)
        }
        let access = state.accessTokens.map { reported(.access, $1, $0) }
        let refresh = state.refreshTokens.map { reported(.refresh, $1, $0) }
        let id = state.idTokens.map { reported(.id, $0) }
        return (access + refresh + id).sorted { $0.issuedAt > $1.issuedAt }
    }

    /// The grants of all recorded access and refresh tokens, each once. The grant with the newest token is first.
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
        let end = expiry ?? now + lifetime.timeInterval
        families.open(grant.id, userID: grant.subject, until: end)
        return Token(grant: grant, scopes: scopes, issuedAt: now, expiresAt: end)
    }

    func issueAccessToken(for grant: OpenIDGrant, scopes: [String], audience: String? = nil) -> String {
        let named = configuration.resourceIndicators == .introspected ? nil : audience
        let text = named.map(Self.text(for:)) ?? "at-" + LocalIdentifiers.base64URL(byteCount: 24)
        var token = token(for: grant, scopes: scopes, lifetime: configuration.accessTokenLifetime)
        token.audience = audience
        state.withLock { $0.accessTokens[Self.key(text)] = token }
        return text
    }

    /// - Parameter expiry: `nil` for the first refresh token of a sign-in, which gets the configured lifetime. For a later one,
    ///   the expiry of the first, so that a refresh does not extend the sign-in.
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

    /// Returns the recorded access tokens of a sign-in in any order, even if they have expired.
    func accessTokens(of familyID: String) -> [Token] {
        state.withLock { $0.accessTokens.values.filter { $0.grant.id == familyID } }
    }

    func accessToken(_ text: String) -> Token? {
        state.withLock { $0.accessTokens[Self.key(text)] }.flatMap {
            time.now < $0.expiresAt && families.isStanding(Self.key(text), ofFamily: $0.grant.id) ? $0 : nil
        }
    }

    func refreshToken(_ text: String) -> Token? {
        let id = Self.key(text)
        return state.withLock { $0.refreshTokens[id] }.flatMap {
            time.now < $0.expiresAt && families.status(of: id, inFamily: $0.grant.id) == .spent ? $0 : nil
        }
    }

    /// Decides whether a refresh token can be exchanged. A token that has expired, was revoked or belongs to another client
    /// is unknown.
    /// - Parameter spending: whether this use spends the token, as at a server that rotates refresh tokens. Each later use is
    ///   then a replay, unless it comes within the server's grace period.
    func exchange(_ text: String, clientID: String, spending: Bool) -> Exchange {
        let id = Self.key(text)
        guard let token = state.withLock({ $0.refreshTokens[id] }), token.grant.clientID == clientID,
            time.now < token.expiresAt
        else { return .unknown }
        let family = token.grant.id
        return switch spending ? families.spend(id, inFamily: family) : families.status(of: id, inFamily: family) {
        case .spent: .granted(token)
        case .replayed: .replayed(familyID: family)
        case .revoked: .unknown
        }
    }

    /// Returns the client and the family of a recorded access or refresh token, even if the token is no longer valid; `nil` for
    /// any other text.
    func owner(of text: String) -> (clientID: String, familyID: String, isRefreshToken: Bool)? {
        state.withLock { state in
            if let token = state.refreshTokens[Self.key(text)] { return (token.grant.clientID, token.grant.id, true) }
            return state.accessTokens[Self.key(text)].map { ($0.grant.clientID, $0.grant.id, false) }
        }
    }

    func revokeAccessToken(_ text: String) { state.withLock { $0.accessTokens[Self.key(text)] = nil } }
}
