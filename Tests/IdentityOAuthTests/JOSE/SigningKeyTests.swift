import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityOAuth

@Suite("Private keys (RFC 7517, RFC 7518 section 6)")
struct SigningKeyTests {
    @Test(
        "a fresh key signs what its public half verifies",
        arguments: [.es256, .es384, .es512, .edDSA, .ed25519] as [SigningAlgorithm])
    func freshKeys(algorithm: SigningAlgorithm) throws {
        let key = try SigningKey(algorithm, keyID: "mine")
        #expect(key.publicKey.keyID == "mine")
        try expectVerifies(key)
    }

    @Test(
        "the published private keys sign",
        arguments: [
            (PublishedVectors.rfc7520RSAKey, .rs256), (PublishedVectors.rfc7520RSAKey, .rs384),
            (PublishedVectors.rfc7520RSAKey, .rs512), (PublishedVectors.rfc7520RSAKey, .ps256),
            (PublishedVectors.rfc7520RSAKey, .ps384), (PublishedVectors.rfc7520RSAKey, .ps512),
            (PublishedVectors.rfc8037Key, .edDSA),
        ] as [([String: JSONValue], SigningAlgorithm)])
    func importedKeys(members: [String: JSONValue], algorithm: SigningAlgorithm) throws {
        try expectVerifies(SigningKey(jwk: json(members), algorithm: algorithm))
    }

    @Test("RFC 7520 section 4.1: the published key makes the published signature")
    func publishedSignature() throws {
        let numbers = try ["n", "e", "d", "p", "q", "dp", "dq", "qi"].map { name in
            try #require(PublishedVectors.rfc7520RSAKey[name]?.stringValue.flatMap { Base64URL.decode($0) })
        }
        let message = try JSONWebSignature(compact: PublishedVectors.rfc7520RS256)
        let key = try RSASigningKey(pkcs1: PKCS1.privateKey(numbers))
        #expect(try key.signature(over: message.signingInput) == message.signature)
    }

    @Test("a stored key reads back as it was")
    func storage() throws {
        let key = try SigningKey(.es384, keyID: "k")
        let copy = try SigningKey(jwk: key.jwk)
        #expect(copy.publicKey.thumbprint == key.publicKey.thumbprint)
        #expect(copy.algorithm == .es384)
        let rsa = try SigningKey(jwk: json(PublishedVectors.rfc7520RSAKey), algorithm: .ps256)
        #expect(try SigningKey(jwk: rsa.jwk).publicKey == rsa.publicKey)
    }

    @Test("the type of a key names its usual algorithm")
    func usualAlgorithms() throws {
        #expect(try SigningKey(jwk: json(PublishedVectors.rfc7520RSAKey)).algorithm == .rs256)
        #expect(try SigningKey(jwk: json(PublishedVectors.rfc8037Key)).algorithm == .edDSA)
    }

    @Test("what is no private key, or does not fit, is refused", .guards("key entropy", "assertion signature"))
    func refused() throws {
        var withoutPrimes = PublishedVectors.rfc7520RSAKey
        withoutPrimes["p"] = nil
        var mixed = PublishedVectors.rfc8037Key
        mixed["x"] = .string(Base64URL.encode(CurvePrivateKey(.ed25519).publicKey.point))
        let attempts: [() throws -> SigningKey] = [
            { try SigningKey(jwk: json(PublishedVectors.rfc7515A3Key)) },
            { try SigningKey(jwk: json(withoutPrimes)) },
            { try SigningKey(jwk: json(mixed)) },
            { try SigningKey(jwk: json(PublishedVectors.rfc8037Key), algorithm: .es256) },
            { try SigningKey(jwk: "{}") },
            { try SigningKey(jwk: "not JSON") },
            { try SigningKey(.rs256) },
            { try SigningKey("HS256") },
        ]
        for attempt in attempts {
            #expect(throws: OAuthError.invalidSetting(.unusableKey)) { try attempt() }
        }
    }

    @Test(
        "an RSA key in PEM form is that key, and signs by any algorithm of RSA",
        arguments: [OpenSSLKey.pkcs1, OpenSSLKey.pkcs8], [nil, .ps256, .rs512] as [SigningAlgorithm?])
    func rsaPEM(pem: Secret, algorithm: SigningAlgorithm?) throws {
        let key = try SigningKey(pem: pem, keyID: "registered", algorithm: algorithm)
        #expect(key.algorithm == algorithm ?? .rs256)
        #expect(key.publicKey.keyID == "registered")
        #expect(key.publicKey.thumbprint == OpenSSLKey.thumbprint)
        try expectVerifies(key)
        let copy = try SigningKey(jwk: key.jwk, algorithm: algorithm)
        #expect(copy.publicKey == key.publicKey)
    }

    @Test(
        "a broken PEM, one with a password, or one for another algorithm is refused", .guards("assertion signature"))
    func refusedPEM() throws {
        let text = OpenSSLKey.pkcs8.reveal()
        let attempts: [(String, SigningAlgorithm?)] = [
            (text, .es256), (text, .hs256), (text, "none"), (String(text.dropLast(200)), nil), ("", nil),
            (text.replacing("-----BEGIN PRIVATE", with: "-----BEGIN ENCRYPTED PRIVATE"), nil),
            (text.replacing(" PRIVATE KEY", with: " RSA PRIVATE KEY"), nil),
            (OpenSSLKey.pkcs1.reveal().replacing(" RSA PRIVATE KEY", with: " PRIVATE KEY"), nil),
            (text.replacing("-----\nM", with: "-----\n"), nil), (text + "\n" + text, .edDSA),
            ("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----", nil),
            ("-----END PRIVATE KEY-----\nMAA=\n-----BEGIN PRIVATE KEY-----", nil),
        ]
        for (pem, algorithm) in attempts {
            #expect(throws: OAuthError.invalidSetting(.unusableKey)) {
                try SigningKey(pem: Secret(pem), algorithm: algorithm)
            }
        }
    }

    @Test("nothing that prints a key prints its private numbers")
    func redaction() throws {
        let key = try SigningKey(jwk: json(PublishedVectors.rfc8037Key))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("nWGxne"))
    }

    private func json(_ members: [String: JSONValue]) throws -> Secret {
        Secret(String(decoding: try JSONEncoder().encode(members), as: UTF8.self))
    }

    private func expectVerifies(_ key: SigningKey) throws {
        let token = try JSONWebToken(key.token(header: ["typ": "JWT"], claims: ["sub": "a"]))
        #expect(token.subject == "a")
        #expect(token.type == "JWT")
        try SignatureVerifier(allowing: [key.algorithm]).verify(token.message, with: JSONWebKeySet([key.publicKey]))
    }
}
