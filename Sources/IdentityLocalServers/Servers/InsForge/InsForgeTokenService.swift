import Foundation
import IdentityKit

/// Issues and verifies access tokens, refresh tokens, CSRF tokens and OAuth states (Backends/InsForge.md#tokens).
///
/// A token is valid if its signature is valid and it has not expired. The service does not check that it issued the token
/// itself. Callers check that the user still exists, and that a single-use refresh token was not used before.
struct InsForgeTokenService: Sendable {
    enum SessionType: String, Sendable {
        case user, admin
    }

    struct AccessClaims: Sendable, Equatable {
        let subject: String
        let role: String
    }

    /// The claims of a refresh token. A refresh issues a refresh token with the same nonce.
    struct RefreshClaims: Sendable, Equatable {
        let subject: String
        let csrfNonce: String
    }

    static let accessLifetime: Int64 = 900
    static let refreshLifetime: Int64 = 604_800

    /// The secret, the keys of access tokens, and hashes of the used refresh tokens, to continue after a restart.
    struct Saved: Codable, Sendable {
        let secret: Secret
        fileprivate let keys: KeyRing.Saved?
        fileprivate let spent: [String]
    }

    /// The keys that sign access tokens; `nil` for HS256, which uses the shared secret.
    private let accessKeys: KeyRing?
    private let secretSigner: TokenSigner
    private let secret: Data
    private let time: TimeSource
    /// SHA-256 hashes of the used refresh tokens; empty unless the configuration makes refresh tokens single-use.
    private let spent: Locked<Set<String>>
    private let issued = Locked<[LocalInsForgeServer.IssuedToken]>([])

    /// Every access token and refresh token that was issued since the server's start or its last reset, oldest first.
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
    ///   - secret: the secret that signs refresh tokens, CSRF tokens, OAuth states and HS256 access tokens. A secret in
    ///     `saved` takes precedence.
    ///   - saved: the secret, the keys and the used refresh tokens of an earlier run of the server; `nil` for none.
    /// - Throws: if a saved key is malformed, or an RSA key cannot be made.
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

    /// The current secret, keys and used refresh tokens, to save for the next start.
    /// - Throws: if the system does not return a private key.
    var saved: Saved {
        get throws {
            Saved(
                secret: Secret(String(decoding: secret, as: UTF8.self)),
                keys: try accessKeys?.saved, spent: spent.withLock { $0.sorted() })
        }
    }

    /// Makes a new key for access tokens. By default, earlier keys stay published, so that earlier tokens still verify. The
    /// call has no effect for HS256.
    /// - Parameter keepingIdentifier: whether to remove all earlier keys, and to give the identifier of the newest removed key
    ///   to the new key. A client with a cached key set then finds the removed key, which does not verify new tokens.
    /// - Throws: if an RSA key cannot be made.
    func rotate(keepingIdentifier: Bool = false) throws {
        try accessKeys?.rotate(withdrawing: keepingIdentifier, keepingIdentifier: keepingIdentifier)
    }

    private var accessSigners: [TokenSigner] { accessKeys?.keys.map(\.signer) ?? [secretSigner] }

    /// The JWK set with the public keys of access tokens; empty for HS256.
    var keySet: JSONValue { ["keys": .array((accessKeys?.keys ?? []).compactMap(\.signer.publicJWK))] }

    /// - Parameter withSecret: whether to sign with the secret, as if the key pair could not be loaded.
    func accessToken(for user: InsForgeUser, withSecret: Bool) throws -> String {
        let claims: [String: JSONValue] = [
            "sub": .string(user.id), "email": .string(user.email), "role": "authenticated",
        ]
        return noted(try accessToken(claims, withSecret), .access, user.id)
    }

    /// - Parameter withSecret: whether to sign with the secret, as if the key pair could not be loaded.
    func accessToken(forAdmin subject: String, withSecret: Bool) throws -> String {
        noted(try accessToken(["sub": .string(subject), "role": "project_admin"], withSecret), .access, subject)
    }

    private func accessToken(_ claims: [String: JSONValue], _ withSecret: Bool) throws -> String {
        let signer = withSecret ? secretSigner : accessSigners.first ?? secretSigner
        return try signer.sign(claims.merging(validity(seconds: Self.accessLifetime)) { $1 })
    }

    /// Returns the claims of a bearer token; `nil` if the token is invalid, has expired, or has no subject. Like the real
    /// server, this method accepts every token that the secret signed, including refresh tokens.
    func accessClaims(of token: String) -> AccessClaims? {
        guard let claims = claims(of: token, signers: [secretSigner] + accessSigners),
            let subject = claims["sub"]?.stringValue, !subject.isEmpty
        else { return nil }
        return AccessClaims(subject: subject, role: claims["role"]?.stringValue ?? "authenticated")
    }

    /// Returns a new refresh token. Within a second, equal arguments give equal tokens, unless `distinct` is true.
    /// - Parameter distinct: whether to add a random identifier, so that no two tokens are equal.
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

    /// Marks a single-use refresh token as used.
    /// - Throws: `AUTH_UNAUTHORIZED` if the token was used before.
    func spend(_ token: String) throws {
        guard spent.withLock({ $0.insert(Self.fingerprint(token)).inserted }) else {
            throw InsForgeServerError.unauthorized("Invalid or expired refresh token")
        }
    }

    /// Returns the CSRF token of a session. A refresh keeps the nonce, so the CSRF token stays the same for the session.
    func csrfToken(subject: String, type: SessionType, csrfNonce: String) -> String {
        let message = "insforge:csrf:v1:\(type.rawValue):\(subject):\(csrfNonce)"
        return LocalIdentifiers.hex(hmacSHA256(Data(message.utf8), key: secret))
    }

    /// Returns a token with `claims` for the `state` of an OAuth sign-in, signed with the secret and valid for an hour.
    func hourToken(_ claims: [String: JSONValue]) throws -> String {
        try secretSigner.sign(claims.merging(validity(seconds: 3600)) { $1 })
    }

    /// Returns the claims of a token that the secret signed.
    /// - Throws: `INTERNAL_ERROR` with the message of the real server's JWT library if the token is malformed, has an
    ///   invalid signature, or has expired.
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
