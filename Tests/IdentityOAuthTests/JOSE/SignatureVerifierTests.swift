import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("Signatures (RFC 7515, RFC 7518)")
struct SignatureVerifierTests {
    @Test(
        "the published messages verify, and no altered one does", .guards("every signature", "cryptographic inputs"),
        arguments: [
            ("RFC 7515 appendix A.2", PublishedVectors.rfc7515A2Key, PublishedVectors.rfc7515A2),
            ("RFC 7515 appendix A.3", PublishedVectors.rfc7515A3Key, PublishedVectors.rfc7515A3),
            ("RFC 7515 appendix A.4", PublishedVectors.rfc7515A4Key, PublishedVectors.rfc7515A4),
            ("RFC 7520 section 4.1", PublishedVectors.rfc7520RSAKey, PublishedVectors.rfc7520RS256),
            ("RFC 7520 section 4.2", PublishedVectors.rfc7520RSAKey, PublishedVectors.rfc7520PS384),
            ("RFC 7520 section 4.3", PublishedVectors.rfc7520ECKey, PublishedVectors.rfc7520ES512),
            ("RFC 8037 appendix A.4", PublishedVectors.rfc8037Key, PublishedVectors.rfc8037A4),
        ])
    func publishedVectors(source: String, key: [String: JSONValue], message: String) throws {
        let keys = JSONWebKeySet([try JSONWebKey(members: key)])
        try SignatureVerifier().verify(JSONWebSignature(compact: message), with: keys)

        let parts = message.split(separator: ".").map(String.init)
        var payload = try #require(Base64URL.decode(parts[1]))
        payload[0] ^= 1
        var signature = try #require(Base64URL.decode(parts[2]))
        signature[signature.count - 1] ^= 1
        let altered = [
            [parts[0], Base64URL.encode(payload), parts[2]], [parts[0], parts[1], Base64URL.encode(signature)],
            [parts[0], parts[1], Base64URL.encode(signature.dropLast())],
            [parts[0], parts[1], Base64URL.encode(Data(count: signature.count))], [parts[0], parts[1], ""],
        ]
        for forgery in altered {
            #expect(throws: OAuthError.invalidToken(.invalidSignature)) {
                try SignatureVerifier().verify(
                    JSONWebSignature(compact: forgery.joined(separator: ".")), with: keys)
            }
        }
    }

    @Test(
        "RFC 7518 section 3.1: every accepted algorithm verifies what its key signed",
        arguments: SigningAlgorithm.verifiable)
    func everyAlgorithm(algorithm: SigningAlgorithm) throws {
        let key = try TestKey(algorithm)
        let token = try JSONWebToken(key.sign(["sub": "a"]))
        try SignatureVerifier().verify(token.message, with: key.keySet)
        let bare = JSONWebKeySet([try JSONWebKey(members: key.bareJWK)])
        let anonymous = try JSONWebToken(key.sign(["sub": "a"], header: ["kid": .null]))
        try SignatureVerifier().verify(anonymous.message, with: bare)
    }

    @Test(
        "RFC 8725 section 3.1: none, HMACs and unknown algorithms are refused before any key is looked at",
        .guards("algorithms", "appropriate algorithms"),
        arguments: [
            PublishedVectors.rfc7515A1, PublishedVectors.rfc7515A5, PublishedVectors.rfc7520HS256,
            #"{"alg":"NONE"}"#, #"{"alg":"rs256"}"#, #"{"alg":"RS1"}"#, #"{"alg":"ES256K"}"#, #"{"alg":"ML-DSA-44"}"#,
            #"{"alg":""}"#, #"{"alg":null}"#, #"{"alg":["RS256"]}"#, #"{"typ":"JWT"}"#,
        ])
    func unacceptedAlgorithms(message: String) throws {
        let compact = message.hasPrefix("{") ? Base64URL.encode(Data(message.utf8)) + ".e30.AAAA" : message
        expectFailure("jwt_unaccepted_algorithm") {
            try SignatureVerifier().verify(
                JSONWebSignature(compact: compact),
                with: JSONWebKeySet([try JSONWebKey(members: PublishedVectors.rfc7520RSAKey)]))
        }
    }

    @Test("RFC 8725 section 3.1: a public key does not serve as an HMAC secret", .guards("algorithms"))
    func algorithmConfusion() throws {
        let key = try TestKey(.rs256)
        guard case .rsa(let pair) = key.pair else { return }
        let input =
            Base64URL.encode(Data(#"{"alg":"HS256","kid":"k1"}"#.utf8)) + "." + Base64URL.encode(Data("{}".utf8))
        let mac = hmacSHA256(Data(input.utf8), key: pair.modulus)
        expectFailure("jwt_unaccepted_algorithm") {
            try SignatureVerifier().verify(
                JSONWebSignature(compact: input + "." + Base64URL.encode(mac)), with: key.keySet)
        }
    }

    @Test("an allow list narrows and never widens")
    func allowList() throws {
        let verifier = SignatureVerifier(allowing: [.es256, "none", "HS256", "XX999"])
        #expect(verifier.allowedAlgorithms == [.es256])
        let key = try TestKey(.rs256)
        #expect(throws: OAuthError.invalidToken(.unacceptedAlgorithm("RS256"))) {
            try verifier.verify(JSONWebToken(key.sign([:])).message, with: key.keySet)
        }
    }

    @Test(
        "RFC 7515 section 4.1.11: a critical extension is refused, known names included", .guards("every signature"),
        arguments: ["b64", "exp", "x"])
    func criticalExtension(name: String) throws {
        let key = try TestKey(.es256)
        let token = try JSONWebToken(key.sign([:], header: ["crit": [.string(name)], name: false]))
        #expect(throws: OAuthError.invalidToken(.criticalExtension)) {
            try SignatureVerifier().verify(token.message, with: key.keySet)
        }
    }

    @Test("RFC 8725 section 3.10: a key in the header is not used", .guards("claims that lead elsewhere"))
    func embeddedKey() throws {
        let (server, attacker) = (try TestKey(.es256), try TestKey(.es256))
        let token = try JSONWebToken(attacker.sign([:], header: ["jwk": .object(attacker.jwk)]))
        #expect(throws: OAuthError.invalidToken(.invalidSignature)) {
            try SignatureVerifier().verify(token.message, with: server.keySet)
        }
    }

    @Test("RFC 7518 section 3.4: an ECDSA signature in DER is not a JWS signature", .guards("every signature"))
    func derSignature() throws {
        let key = try TestKey(.es256)
        let parts = try key.sign([:]).reveal().split(separator: ".").map(String.init)
        let raw = try #require(Base64URL.decode(parts[2]))
        let numbers = [raw.prefix(32), raw.suffix(32)].map { Data([0x02, 0x21, 0x00]) + $0 }
        let der = Data([0x30, 0x46]) + numbers[0] + numbers[1]
        #expect(throws: OAuthError.invalidToken(.invalidSignature)) {
            try SignatureVerifier().verify(
                JSONWebSignature(compact: "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))"), with: key.keySet)
        }
    }
}
