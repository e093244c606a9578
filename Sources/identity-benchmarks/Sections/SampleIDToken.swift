import Foundation
import IdentityKit
import IdentityOAuth

/// A typical ID token, with the public key that verifies its signature.
struct SampleIDToken {
    let token: Secret

    private let key: RSAPublicKey
    private let keys: JSONWebKeySet
    private let signature: Data
    private let signingInput: Data
    private let validator = IDTokenValidator(issuer: "https://id.example.com", clientID: "swift-app")
    private let expectation: IDTokenExpectation
    private let now = Date()

    init() throws {
        let pair = try RSASigningKey()
        let accessToken: Secret = "SlAV32hkKG.an-opaque-access-token"
        let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": "2026-01"]
        let seconds = Int64(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": "https://id.example.com", "sub": "248289761001", "aud": "swift-app", "nonce": "n-0S6_WzA2Mj",
            "iat": .integer(seconds), "exp": .integer(seconds + 3600), "auth_time": .integer(seconds - 5),
            "at_hash": .string(Base64URL.encode(sha256(Data(accessToken.reveal().utf8)).prefix(16))),
            "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace", "preferred_username": "ada",
            "email": "ada@example.org", "email_verified": true, "sid": "08a5019c-17e1-4977-8f42-65a12843ea02",
        ]
        let input = try [header, claims].map { Base64URL.encode(try JSONEncoder().encode($0)) }.joined(separator: ".")
        signingInput = Data(input.utf8)
        signature = try pair.signature(over: signingInput)
        token = Secret(input + "." + Base64URL.encode(signature))
        key = try RSAPublicKey(modulus: pair.modulus, exponent: pair.exponent)
        keys = JSONWebKeySet([
            try JSONWebKey(members: [
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": "2026-01",
                "n": .string(Base64URL.encode(pair.modulus)), "e": .string(Base64URL.encode(pair.exponent)),
            ])
        ])
        var expectation = IDTokenExpectation()
        expectation.nonce = "n-0S6_WzA2Mj"
        expectation.accessToken = accessToken
        self.expectation = expectation
    }

    func checkSignatureAlone() throws {
        guard key.accepts(signature, over: signingInput, padding: .pkcs1, hash: .sha256) else {
            throw OAuthError.invalidToken(.invalidSignature)
        }
    }

    func verifyInFull() throws {
        _ = try validator.validate(token, keys: keys, expecting: expectation, at: now)
    }
}
