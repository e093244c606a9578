import Foundation
import IdentityKit

/// Makes ID tokens (OpenID Connect Core section 2) with the mistakes that `behaviour` asks for.
struct OpenIDIDTokens: Sendable {
    let backend: OpenIDBackend
    let behaviour: OpenIDBehaviour

    /// Returns an ID token for the client of `grant`, with the behaviour applied.
    /// - Parameter isRefreshed: whether the token is for a refresh, and therefore has no `nonce` (Core section 12.2).
    func token(for grant: OpenIDGrant, accessToken: String, isRefreshed: Bool) throws -> String {
        var draft = try OpenIDTokenDraft(
            claims(for: grant, accessToken: accessToken, isRefreshed: isRefreshed), ring: backend.keyRing, behaviour)
        try draft.apply(behaviour, isRefreshed: isRefreshed, spare: backend.keyRing.spare)
        return try behaviour.rewritten(draft.compact(), draft)
    }

    private func claims(for grant: OpenIDGrant, accessToken: String, isRefreshed: Bool) -> [String: JSONValue] {
        let now = backend.now(behaviour)
        var claims =
            behaviour.has(.claimsInUserInfoOnly)
            ? [:] : backend.claims(ofUser: grant.subject, scopes: grant.scopes)
        claims["iss"] = .string(backend.issuer(behaviour))
        if behaviour.has(.tenantIssuers) { claims["tid"] = .string(LocalOpenIDConnectServer.tenant) }
        if behaviour.has(.missingTenant) { claims["tid"] = nil }
        if behaviour.has(.wrongTenant) { claims["tid"] = "another-tenant" }
        if behaviour.has(.tenantWithPath) { claims["tid"] = .string("./" + LocalOpenIDConnectServer.tenant) }
        if behaviour.has(.issuerWithPlaceholder) { claims["iss"] = .string(backend.announcedIssuer(behaviour)) }
        claims["sub"] = .string(grant.subject)
        claims["aud"] = .string(grant.clientID)
        claims["iat"] = .integer(now.wholeSeconds)
        claims["exp"] = .integer((now + backend.configuration.idTokenLifetime.timeInterval).wholeSeconds)
        claims["auth_time"] = grant.authenticatedAt.map { .integer(($0 + behaviour.clockError).wholeSeconds) }
        claims["nonce"] = isRefreshed ? nil : grant.nonce.map(JSONValue.string)
        claims["at_hash"] = .string(Self.hash(accessToken, backend.keyRing.algorithm))
        return claims
    }

    /// Returns the left half of the text's hash in base64url, for `at_hash` (Core section 3.1.3.6).
    static func hash(_ text: String, _ algorithm: LocalOpenIDConnectServer.SigningAlgorithm) -> String {
        let hash = algorithm.hash.hash(Data(text.utf8))
        return TokenSigner.base64URL(Data(hash.prefix(hash.count / 2)))
    }
}

extension Date {
    /// The seconds since 1970, rounded down, for dates in JWTs (RFC 7519 section 2, NumericDate).
    var wholeSeconds: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
