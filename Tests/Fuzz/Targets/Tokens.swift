import Foundation
import IdentityKit

@testable import IdentityOAuth

/// JSON Web Tokens: the compact form, or the header and the claims in a line each, which are put together here.
struct Tokens: Sendable {
    private let keys: JSONWebKeySet
    private let validator = IDTokenValidator(issuer: "https://id.example.com", clientID: "client")
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() {
        // Nobody has the private half, so nothing may be accepted.
        keys = made { JSONWebKeySet(try [.es256, .edDSA].map { try SigningKey($0).publicKey }) }
    }

    @Sendable func read(_ input: FuzzInput) {
        let (line, rest) = input.parts
        let compact =
            rest.data.isEmpty
            ? line : Base64URL.encode(line.utf8) + "." + Base64URL.encode(rest.data) + ".c2lnbmF0dXJl"
        let token = Secret(compact)
        do {
            try examine(JSONWebToken(token))
            _ = try validator.validate(token, keys: keys, expecting: IDTokenExpectation(), at: now)
            rule(false, "a token that nobody signed was accepted")
        } catch {
            error.tell()
        }
    }

    private func examine(_ token: JSONWebToken) throws {
        _ = (token.audience, token.expiresAt, token.notBefore, token.issuedAt, token.keyID, token.type)
        if let lifetime = token.lifetime { rule(lifetime >= .zero, "a token lives for less than nothing") }
        if let profile = AccountProfile(claims: token.claims) { _ = (profile.displayName, profile.picture) }
        let claims = IDTokenClaims(token: token, tolerance: 60, now: now)
        var expectation = IDTokenExpectation()
        expectation.accessToken = "access"
        expectation.maxAge = 300
        expectation.previous = token
        for check in [
            { try claims.checkType() },
            { try claims.checkIssuer("https://id.example.com") },
            { _ = try claims.subject(expected: "alice") },
            { _ = try claims.audience(including: "client") },
            { _ = try claims.lifetime() },
            { try claims.checkNonce("n-0S6_WzA2Mj") },
            { try claims.checkHashes(of: expectation, scheme: .curve(.p256)) },
            { _ = try claims.authenticationTime(maxAge: 300) },
            { try claims.checkAuthenticationContext(["silver"]) },
            { try claims.checkOwner(isThatOf: token, audience: token.audience ?? []) },
            { try claims.checkSignIn(isThatOf: token) },
        ] as [() throws -> Void] {
            do {
                try check()
            } catch let defect as InvalidIDTokenReason {
                OAuthError.invalidIDToken(defect).tell()
            }
        }
    }
}
