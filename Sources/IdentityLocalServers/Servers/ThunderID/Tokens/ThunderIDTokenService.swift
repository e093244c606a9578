import Foundation
import IdentityKit

/// Issues and verifies all tokens of the server (Backends/ThunderID.md#token-formats).
struct ThunderIDTokenService: Sendable {
    let issuer: String

    private let configuration: LocalThunderIDServer.Configuration
    private let keyRing: ThunderIDKeyRing
    private let families: TokenFamilies
    private let time: TimeSource
    /// Attributes of users at the time of their sign-in, by the claim `aci`. Later tokens of the sign-in repeat them.
    private let attributeCache: Locked<[String: CachedAttributes]>
    private let ledger: ThunderIDTokenLedger

    /// Lifetime of assertions in seconds, which is independent of that of access tokens.
    private static let assertionLifetime: Int64 = 3600
    /// Seconds after its expiry in which the server still accepts a token.
    private static let leeway: Int64 = 30

    struct CachedAttributes: Codable, Sendable {
        let attributes: [String: JSONValue]
        /// Expiry of the last token that refers to these attributes.
        let endsAt: Date
    }

    init(
        issuer: String, configuration: LocalThunderIDServer.Configuration, keyRing: ThunderIDKeyRing,
        families: TokenFamilies, ledger: ThunderIDTokenLedger, restoring cache: [String: CachedAttributes]? = nil,
        time: TimeSource
    ) {
        self.ledger = ledger
        attributeCache = Locked(cache ?? [:])
        (self.issuer, self.configuration, self.keyRing, self.families) = (issuer, configuration, keyRing, families)
        self.time = time
    }

    /// Stores the attributes of a user who signs in by redirect, and returns their `aci`.
    func cacheAttributes(_ attributes: [String: JSONValue]) -> String {
        let identifier = newIdentifier()
        // Add the ten minutes for which a code can wait until it is redeemed.
        let end = Date(timeIntervalSince1970: TimeInterval(max(refreshTokenExpiry, accessTokenExpiry) + 660))
        attributeCache.withLock { $0[identifier] = CachedAttributes(attributes: attributes, endsAt: end) }
        return identifier
    }

    /// The attributes to which a valid token may still refer, to save.
    var savedCache: [String: CachedAttributes] {
        let now = time.now
        return attributeCache.withLock { $0.filter { now < $0.value.endsAt } }
    }

    /// The attributes kept under an `aci`.
    func cachedAttributes(_ identifier: String?) -> [String: JSONValue] {
        identifier.flatMap { identifier in attributeCache.withLock { $0[identifier]?.attributes } } ?? [:]
    }

    /// The assertion at the end of a flow, with the flow's `claims`.
    func assertion(_ claims: [String: JSONValue], subject: String, audience: String) throws -> String {
        try sign(
            claims.merging(["sub": .string(subject), "aud": .string(audience)]) { $1 }, Self.assertionLifetime,
            noting: .init(.assertion, client: audience, person: subject))
    }

    /// An access token with all permissions.
    func administratorToken() throws -> String {
        try sign(
            ["sub": "administrator", "client_id": "CONSOLE", "scope": "system system:user"], accessTokenLifetime,
            typ: "at+jwt")
    }

    var accessTokenLifetime: Int64 { Int64(configuration.accessTokenLifetime.timeInterval) }

    /// The expiry of an access token issued now.
    var accessTokenExpiry: Int64 { now + accessTokenLifetime }

    /// The expiry of the refresh token of a sign-in now, and of all its successors.
    var refreshTokenExpiry: Int64 { now + Int64(configuration.refreshTokenLifetime.timeInterval) }

    func accessToken(_ grant: TokenGrant) throws -> String {
        var claims = grant.attributes.filter { grant.application.accessTokenAttributes.contains($0.key) }
        claims["sub"] = .string(grant.userID)
        claims["aud"] = .string(grant.audience)
        claims["cnf"] = grant.keyThumbprint.map { ["jkt": .string($0)] }
        claims["client_id"] = .string(grant.application.clientID)
        claims["grant_type"] = .string(grant.grantType.rawValue)
        claims["scope"] = grant.scopes.isEmpty ? nil : .string(grant.scope)
        claims["tfid"] = grant.familyID.map(JSONValue.string)
        claims["aci"] = grant.attributeCacheID.map(JSONValue.string)
        return try sign(claims, accessTokenLifetime, typ: "at+jwt", noting: .init(.access, grant))
    }

    func refreshToken(_ grant: TokenGrant, expiresAt: Int64) throws -> String {
        var claims: [String: JSONValue] = [
            "sub": .string(grant.application.clientID), "aud": .string(issuer),
            "access_token_sub": .string(grant.userID),
            "access_token_aud": [.string(grant.audience)],
            "grant_type": .string(grant.grantType.rawValue), "scope": .string(grant.scope),
        ]
        claims["dpop_jkt"] = grant.keyThumbprint.map(JSONValue.string)
        claims["tfid"] = grant.familyID.map(JSONValue.string)
        claims["aci"] = grant.attributeCacheID.map(JSONValue.string)
        return try sign(claims, expiresAt - now, noting: .init(.refresh, grant))
    }

    /// Claims of the ID token of a sign-in that are not in those of refreshes.
    struct SignIn: Sendable {
        let time: Int64
        let authenticationClass: String?
        let nonce: String?
    }

    func idToken(_ grant: TokenGrant, _ signIn: SignIn?) throws -> String {
        var claims = openIDClaims(of: grant)
        claims["sub"] = .string(grant.userID)
        claims["aud"] = .string(grant.application.clientID)
        claims["auth_time"] = (signIn?.time).map(JSONValue.integer)
        claims["acr"] = signIn?.authenticationClass.map(JSONValue.string)
        claims["nonce"] = signIn?.nonce.map(JSONValue.string)
        return try sign(claims, accessTokenLifetime, noting: .init(.id, grant))
    }

    /// The user's attributes that the application requests and the scopes allow.
    func openIDClaims(of grant: TokenGrant) -> [String: JSONValue] {
        let allowed = Set(grant.scopes.flatMap(OpenIDScopes.claims)).intersection(grant.application.idTokenAttributes)
        return grant.attributes.filter { allowed.contains($0.key) }
    }

    /// The userinfo response as a signed JWT (OpenID Connect Core section 5.3.2).
    func signedUserInfo(_ claims: [String: JSONValue], for application: LocalThunderIDServer.Application) throws
        -> String
    {
        try sign(claims.merging(["aud": .string(application.clientID)]) { $1 }, accessTokenLifetime)
    }

    /// The claims of `token` if this server issued it and it has not expired, even if it was revoked.
    func unexpired(_ token: String) -> VerifiedToken? {
        guard let verified = verified(token), now <= verified.expiresAt + Self.leeway else { return nil }
        return verified
    }

    /// The claims of `token` if this server issued it, even if it has expired.
    func verified(_ token: String) -> VerifiedToken? {
        guard let verified = keyRing.verify(token) else { return nil }
        let token = VerifiedToken(header: verified.header, claims: verified.claims)
        return token.issuer == issuer ? token : nil
    }

    /// The claims of `token` if it is valid: issued here, not expired, not revoked.
    func good(_ token: String) -> VerifiedToken? {
        unexpired(token).flatMap { families.isStanding($0.id, ofFamily: $0.familyID) ? $0 : nil }
    }

    private var now: Int64 { Int64(time.now.timeIntervalSince1970) }

    private func newIdentifier() -> String { LocalIdentifiers.uuid7(at: time.now) }

    private func sign(
        _ claims: [String: JSONValue], _ lifetime: Int64, typ: String = "JWT",
        noting entry: ThunderIDTokenLedger.Subject? = nil
    ) throws -> String {
        let (identifier, now) = (newIdentifier(), now)
        let standard: [String: JSONValue] = [
            "iss": .string(issuer), "jti": .string(identifier),
            "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + lifetime),
        ]
        if let entry { ledger.note(entry, id: identifier, issuedAt: now, expiresAt: now + lifetime) }
        return try keyRing.sign(claims.merging(standard) { $1 }, typ: typ)
    }
}

struct TokenGrant: Sendable {
    let application: LocalThunderIDServer.Application
    let userID: String
    /// The scopes, in the order of the request.
    var scopes: [String]
    let grantType: LocalThunderIDServer.Application.GrantType
    let attributes: [String: JSONValue]
    var attributeCacheID: String?
    var familyID: String?
    /// The resource server the access token is for; `nil` for the client itself.
    var resource: String?
    var keyThumbprint: String?

    /// The `aud` of the access token.
    var audience: String { resource ?? application.clientID }
    var scope: String { scopes.joined(separator: " ") }
}

/// The claims that each scope of OpenID Connect Core section 5.4 selects.
enum OpenIDScopes {
    static let all = ["openid", "profile", "email", "phone", "address", "roles"]

    static func claims(of scope: String) -> [String] {
        switch scope {
        case "profile":
            [
                "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile",
                "picture", "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
            ]
        case "email": ["email", "email_verified"]
        case "phone": ["phone_number", "phone_number_verified"]
        case "address": ["address"]
        case "roles": ["roles"]
        default: []
        }
    }
}
