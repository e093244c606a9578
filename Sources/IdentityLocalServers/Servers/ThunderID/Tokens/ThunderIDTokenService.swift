import Foundation
import IdentityKit

/// Issues and verifies all tokens of the server (Backends/ThunderID.md#token-formats).
struct ThunderIDTokenService: Sendable {
    let issuer: String

    private let configuration: LocalThunderIDServer.Configuration
    private let keyRing: ThunderIDKeyRing
    private let families: TokenFamilies
    private let time: TimeSource
    /// Attributes of users at the time of their sign-in. The keys are the values of the claim `aci`. Access tokens, ID
    /// tokens and userinfo of the sign-in have these attributes, even if the user's record changes later.
    private let attributeCache: Locked<[String: CachedAttributes]>
    private let ledger: ThunderIDTokenLedger

    /// The lifetime of assertions in seconds, regardless of the configured lifetime of access tokens.
    private static let assertionLifetime: Int64 = 3600
    /// The server accepts a token until this number of seconds after its expiry.
    private static let leeway: Int64 = 30

    struct CachedAttributes: Codable, Sendable {
        let attributes: [String: JSONValue]
        /// The time after which the attributes are no longer part of the saved state.
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

    /// Stores the attributes of a user who signs in for an authorization or backchannel request.
    /// - Returns: the identifier of the stored attributes, for the claim `aci`.
    func cacheAttributes(_ attributes: [String: JSONValue]) -> String {
        let identifier = newIdentifier()
        // Add eleven minutes: ten for the lifetime of the authorization code, and one to cover the leeway.
        let end = Date(timeIntervalSince1970: TimeInterval(max(refreshTokenExpiry, accessTokenExpiry) + 660))
        attributeCache.withLock { $0[identifier] = CachedAttributes(attributes: attributes, endsAt: end) }
        return identifier
    }

    /// The attributes to save for the next run of the server: those of each sign-in whose first access token or refresh
    /// token may still be valid.
    var savedCache: [String: CachedAttributes] {
        let now = time.now
        return attributeCache.withLock { $0.filter { now < $0.value.endsAt } }
    }

    /// Returns the attributes that are stored under an `aci`; empty if there are none.
    func cachedAttributes(_ identifier: String?) -> [String: JSONValue] {
        identifier.flatMap { identifier in attributeCache.withLock { $0[identifier]?.attributes } } ?? [:]
    }

    /// Returns an assertion with the `claims` of a flow. It is valid for an hour.
    /// - Parameters:
    ///   - subject: the user's identifier; empty if the assertion reports a failure.
    ///   - audience: the application's identifier, which is not its client identifier.
    func assertion(_ claims: [String: JSONValue], subject: String, audience: String) throws -> String {
        try sign(
            claims.merging(["sub": .string(subject), "aud": .string(audience)]) { $1 }, Self.assertionLifetime,
            noting: .init(.assertion, client: audience, person: subject))
    }

    /// Returns an access token of an administrator, with the permissions `system` and `system:user`.
    func administratorToken() throws -> String {
        try sign(
            ["sub": "administrator", "client_id": "CONSOLE", "scope": "system system:user"], accessTokenLifetime,
            typ: "at+jwt")
    }

    var accessTokenLifetime: Int64 { Int64(configuration.accessTokenLifetime.timeInterval) }

    /// The expiry of an access token issued now, in seconds since 1970.
    var accessTokenExpiry: Int64 { now + accessTokenLifetime }

    /// The expiry of the first refresh token of a sign-in that completes now, in seconds since 1970. The refresh tokens
    /// that replace this token expire at the same time.
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

    /// Claims that only the ID token of a sign-in has. The ID token of a refresh lacks them.
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

    /// Returns the user's attributes for an ID token or userinfo: those that the scopes allow and the application's
    /// `idTokenAttributes` contain.
    func openIDClaims(of grant: TokenGrant) -> [String: JSONValue] {
        let allowed = Set(grant.scopes.flatMap(OpenIDScopes.claims)).intersection(grant.application.idTokenAttributes)
        return grant.attributes.filter { allowed.contains($0.key) }
    }

    /// Returns the userinfo response as a signed JWT for the application (OpenID Connect Core section 5.3.2).
    func signedUserInfo(_ claims: [String: JSONValue], for application: LocalThunderIDServer.Application) throws
        -> String
    {
        try sign(claims.merging(["aud": .string(application.clientID)]) { $1 }, accessTokenLifetime)
    }

    /// Returns the claims of `token`; `nil` if this server did not issue the token, or if it expired more than 30
    /// seconds ago. A revoked token passes.
    func unexpired(_ token: String) -> VerifiedToken? {
        guard let verified = verified(token), now <= verified.expiresAt + Self.leeway else { return nil }
        return verified
    }

    /// Returns the claims of `token`; `nil` if this server did not issue the token. An expired or revoked token passes.
    func verified(_ token: String) -> VerifiedToken? {
        guard let verified = keyRing.verify(token) else { return nil }
        let token = VerifiedToken(header: verified.header, claims: verified.claims)
        return token.issuer == issuer ? token : nil
    }

    /// Returns the claims of `token`; `nil` if this server did not issue the token, if it expired more than 30 seconds
    /// ago, or if it was revoked. A used refresh token passes.
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
    /// The granted scopes, in the order of the request.
    var scopes: [String]
    let grantType: LocalThunderIDServer.Application.GrantType
    let attributes: [String: JSONValue]
    var attributeCacheID: String?
    var familyID: String?
    /// The identifier of the resource server that the access token is for; `nil` if the token is for the client itself.
    var resource: String?
    var keyThumbprint: String?

    /// The `aud` of the access token.
    var audience: String { resource ?? application.clientID }
    var scope: String { scopes.joined(separator: " ") }
}

/// The scopes of OpenID Connect, with the claims that each selects (OpenID Connect Core section 5.4). The scope `roles` is
/// ThunderID's own.
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
