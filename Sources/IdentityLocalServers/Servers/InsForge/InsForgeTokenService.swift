import Foundation
import IdentityKit

/// Makes and checks every token of the backend (Backends/InsForge.md#tokens).
///
/// Nothing is stored: a token is good when its signature is, its time has not come, and, for a session, its user exists.
struct InsForgeTokenService: Sendable {
    enum SessionType: String, Sendable {
        case user, admin
    }

    struct AccessClaims: Sendable, Equatable {
        let subject: String
        let role: String
    }

    /// The claims of a refresh token; the nonce stays the same from refresh to refresh.
    struct RefreshClaims: Sendable, Equatable {
        let subject: String
        let csrfNonce: String
    }

    static let accessLifetime: Int64 = 900
    static let refreshLifetime: Int64 = 604_800

    /// The keys and what was spent, as they are saved.
    struct Saved: Codable, Sendable {
        let secret: Secret
        fileprivate let keys: KeyRing.Saved?
        fileprivate let spent: [String]
    }

    /// Keys of access tokens; `nil` when they are signed with the secret.
    private let accessKeys: KeyRing?
    private let secretSigner: TokenSigner
    private let secret: Data
    private let time: TimeSource
    /// Hashes of the refresh tokens that were used.
    private let spent: Locked<Set<String>>
    private let issued = Locked<[LocalInsForgeServer.IssuedToken]>([])

    /// Every token that was issued, oldest first.
    var issuedTokens: [LocalInsForgeServer.IssuedToken] { issued.withLock { $0 } }

    private func noted(_ token: String, _ kind: LocalInsForgeServer.IssuedToken.Kind, _ subject: String) -> String {
        let lifetime = kind == .access ? Self.accessLifetime : Self.refreshLifetime
        issued.withLock {
            $0.append(
                .init(
                    kind: kind, subject: subject, issuedAt: time.now,
                    expiresAt: Date(timeIntervalSince1970: TimeInterval(now + lifetime)), token: Secret(token)))
        }
        return token
    }

    func isSpent(_ token: String) -> Bool { spent.withLock { $0.contains(Self.fingerprint(token)) } }

    private static func fingerprint(_ token: String) -> String { LocalIdentifiers.hex(sha256(Data(token.utf8))) }

    /// - Parameters:
    ///   - secret: what signs refresh tokens, unless one was saved.
    ///   - saved: the keys of an earlier start.
    init(
        algorithm: LocalInsForgeServer.AccessTokenAlgorithm, secret: Secret, restoring saved: Saved? = nil,
        time: TimeSource
    ) throws {
        let secret = saved?.secret ?? secret
        spent = Locked(Set(saved?.spent ?? []))
        self.secret = Data(secret.reveal().utf8)
        self.time = time
        secretSigner = TokenSigner(key: .secret(self.secret), keyID: nil)
        accessKeys =
            algorithm == .hs256
            ? nil
            : try KeyRing("RS256", on: nil, restoring: saved?.keys) {
                PublishedKey(id: "kid_" + LocalIdentifiers.hex(byteCount: 16), pair: $0)
            }
    }

    /// The keys and what was spent, to be saved.
    var saved: Saved {
        get throws {
            Saved(
                secret: Secret(String(decoding: secret, as: UTF8.self)),
                keys: try accessKeys?.saved, spent: spent.withLock { $0.sorted() })
        }
    }

    /// Signs access tokens with a new key from now on. The old ones stay published, so earlier tokens still verify.
    /// - Parameter keepingIdentifier: whether the new key takes the place and the identifier of the last one.
    func rotate(keepingIdentifier: Bool = false) throws {
        try accessKeys?.rotate(withdrawing: keepingIdentifier, keepingIdentifier: keepingIdentifier)
    }

    private var accessSigners: [TokenSigner] { accessKeys?.keys.map(\.signer) ?? [secretSigner] }

    /// The published keys; none when access tokens are signed with the secret.
    var keySet: JSONValue { ["keys": .array((accessKeys?.keys ?? []).compactMap(\.signer.publicJWK))] }

    /// - Parameter withSecret: whether the key pair cannot be loaded.
    func accessToken(for user: InsForgeUser, withSecret: Bool = false) throws -> String {
        let claims: [String: JSONValue] = [
            "sub": .string(user.id), "email": .string(user.email), "role": "authenticated",
        ]
        let token = try accessToken(claims, signer: withSecret ? secretSigner : nil)
        return noted(token, .access, user.id)
    }

    func accessToken(forAdmin subject: String) throws -> String {
        noted(try accessToken(["sub": .string(subject), "role": "project_admin"]), .access, subject)
    }

    private func accessToken(_ claims: [String: JSONValue], signer: TokenSigner? = nil) throws -> String {
        let signer = signer ?? accessSigners.first ?? secretSigner
        return try signer.sign(claims.merging(validity(seconds: Self.accessLifetime)) { $1 })
    }

    /// Checks a bearer token. Like the real server it takes any token signed with the secret, refresh tokens included.
    func accessClaims(of token: String) -> AccessClaims? {
        guard let claims = claims(of: token, signers: [secretSigner] + accessSigners),
            let subject = claims["sub"]?.stringValue, !subject.isEmpty
        else { return nil }
        return AccessClaims(subject: subject, role: claims["role"]?.stringValue ?? "authenticated")
    }

    /// A new refresh token; the same one for the same claims within one second.
    /// - Parameter distinct: adds an identifier, so that no two tokens are alike.
    func refreshToken(
        subject: String, type: SessionType, csrfNonce: String, distinct: Bool = false
    ) throws -> String {
        var claims: [String: JSONValue] = [
            "sub": .string(subject), "type": "refresh", "iss": "insforge", "csrfNonce": .string(csrfNonce),
            "sessionType": .string(type.rawValue),
        ]
        if distinct { claims["jti"] = .string(LocalIdentifiers.hex(byteCount: 8)) }
        let token = try secretSigner.sign(claims.merging(validity(seconds: Self.refreshLifetime)) { $1 })
        return noted(token, .refresh, subject)
    }

    func refreshClaims(of token: String, type: SessionType) throws -> RefreshClaims {
        guard let claims = claims(of: token, signers: [secretSigner]),
            claims["iss"] == "insforge", let subject = claims["sub"]?.stringValue
        else { throw InsForgeServerError.unauthorized("Invalid or expired refresh token") }
        guard claims["type"] == "refresh", let nonce = claims["csrfNonce"]?.stringValue else {
            throw InsForgeServerError.unauthorized("Invalid refresh token type")
        }
        guard claims["sessionType"]?.stringValue == type.rawValue else {
            throw InsForgeServerError.unauthorized("Invalid refresh session type")
        }
        return RefreshClaims(subject: subject, csrfNonce: nonce)
    }

    /// Marks a refresh token as used.
    /// - Throws: when it already was. Only the strict mode checks that.
    func spend(_ token: String) throws {
        guard spent.withLock({ $0.insert(Self.fingerprint(token)).inserted }) else {
            throw InsForgeServerError.unauthorized("Invalid or expired refresh token")
        }
    }

    /// The CSRF token of a session, which is as constant as the session's nonce.
    func csrfToken(subject: String, type: SessionType, csrfNonce: String) -> String {
        let message = "insforge:csrf:v1:\(type.rawValue):\(subject):\(csrfNonce)"
        return LocalIdentifiers.hex(hmacSHA256(Data(message.utf8), key: secret))
    }

    /// Any claims under the secret, for an hour: the `state` of an OAuth sign-in.
    func hourToken(_ claims: [String: JSONValue]) throws -> String {
        try secretSigner.sign(claims.merging(validity(seconds: 3600)) { $1 })
    }

    /// The claims of a token under the secret; throws the text of the JWT library the real server uses.
    func hourClaims(of token: String) throws -> JSONValue {
        guard token.split(separator: ".", omittingEmptySubsequences: false).count == 3 else {
            throw InsForgeServerError.internalError("jwt malformed")
        }
        guard let verified = secretSigner.verify(token) else {
            throw InsForgeServerError.internalError("invalid signature")
        }
        guard isCurrent(verified.claims) else { throw InsForgeServerError.internalError("jwt expired") }
        return verified.claims
    }

    private func claims(of token: String, signers: [TokenSigner]) -> JSONValue? {
        for signer in signers {
            if let verified = signer.verify(token), verified.header["kid"]?.stringValue == signer.keyID {
                return isCurrent(verified.claims) ? verified.claims : nil
            }
        }
        return nil
    }

    private func isCurrent(_ claims: JSONValue) -> Bool { claims["exp"]?.integerValue.map { $0 > now } ?? true }

    private func validity(seconds: Int64) -> [String: JSONValue] {
        ["iat": .integer(now), "exp": .integer(now + seconds)]
    }

    private var now: Int64 { Int64(time.now.timeIntervalSince1970.rounded(.down)) }
}
