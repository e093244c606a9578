import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("Keys and key sets (RFC 7517)")
struct JSONWebKeySetTests {
    @Test("RFC 7517 appendix A.1: of the published set, the signing key is found and the encryption key is not used")
    func publishedSet() throws {
        let keys = try JSONWebKeySet(members: PublishedVectors.rfc7517A1)
        #expect(try keys.key(for: .rs256, keyID: "2011-04-29").keyType == "RSA")
        #expect(throws: OAuthError.invalidToken(.keyNotFound)) { try keys.key(for: .es256, keyID: "1") }
        #expect(throws: OAuthError.invalidToken(.keyNotFound)) { try keys.key(for: .rs512, keyID: "2011-04-29") }
    }

    @Test("RFC 7638 section 3.1, RFC 8037 appendix A.3: the published thumbprints")
    func thumbprints() throws {
        let rsa = try JSONWebKeySet(members: PublishedVectors.rfc7517A1).key(for: .rs256, keyID: nil)
        #expect(rsa.thumbprint == PublishedVectors.rfc7638Thumbprint)
        #expect(try JSONWebKey(members: PublishedVectors.rfc8037Key).thumbprint == PublishedVectors.rfc8037Thumbprint)
    }

    @Test("private numbers that were published by mistake are not kept")
    func privateMembers() throws {
        #expect(try JSONWebKey(members: PublishedVectors.rfc8037Key).members["d"] == nil)
        #expect(
            try Set(JSONWebKey(members: PublishedVectors.rfc7520RSAKey).members.keys) == [
                "kty", "kid", "use", "n", "e",
            ])
    }

    @Test(
        "RFC 7517 sections 4.2 to 4.4: use, key_ops and alg, where present, must allow it", .guards("algorithms"),
        arguments: [
            ([:], true), (["use": "sig"], true), (["use": "enc"], false), (["use": "tls"], false),
            (["key_ops": ["verify"]], true), (["key_ops": ["encrypt"]], false),
            (["key_ops": ["sign", "verify"]], true),
            (["alg": "RS256"], true), (["alg": "RS512"], false), (["alg": "PS256"], false),
            (["alg": "RSA-OAEP"], false), (["kid": "other"], false), (["kid": .null], false),
            (["x5c": ["MII"], "x5t#S256": "x"], true),
            // Another spelling of K for Swift's `==`, and another name.
            (["kid": "\u{212A}1"], false), (["kid": 1], false),
        ] as [([String: JSONValue], Bool)])
    func filters(extra: [String: JSONValue], isFound: Bool) throws {
        let base: [String: JSONValue] = try TestKey(.rs256).bareJWK.merging(["kid": "k1"]) { $1 }
        let members = base.merging(extra) { $1 }.filter { $0.value != .null }
        let keys = JSONWebKeySet([try JSONWebKey(members: members)])
        let key = try? keys.key(for: .rs256, keyID: "k1")
        #expect((key != nil) == isFound)
    }

    @Test("RFC 7518 section 3.1: a key of another type or curve does not fit", .guards("algorithms"))
    func types() throws {
        let keys = JSONWebKeySet([try JSONWebKey(members: TestKey(.es256).bareJWK)])
        #expect(try keys.key(for: .es256, keyID: nil).keyType == "EC")
        for algorithm in SigningAlgorithm.verifiable where algorithm != .es256 {
            #expect(throws: OAuthError.invalidToken(.keyNotFound)) { try keys.key(for: algorithm, keyID: nil) }
        }
    }

    @Test(
        "RFC 9864: Ed25519 and EdDSA name one algorithm, in the key and in the token",
        arguments: ["Ed25519", "EdDSA"], ["Ed25519", "EdDSA"])
    func edwards(inKey: String, inToken: String) throws {
        var members = try TestKey(.edDSA).bareJWK
        members["alg"] = .string(inKey)
        let keys = JSONWebKeySet([try JSONWebKey(members: members)])
        #expect(try keys.key(for: SigningAlgorithm(rawValue: inToken), keyID: nil).keyType == "OKP")
    }

    @Test("OpenID Connect Core section 10.1: without kid one fitting key will do, and several will not")
    func missingKeyID() throws {
        let (first, second) = (try TestKey(.es256, keyID: "a"), try TestKey(.es256, keyID: "b"))
        let other = try TestKey(.rs256, keyID: "c")
        let one = JSONWebKeySet(try [first, other].map { try JSONWebKey(members: $0.jwk) })
        #expect(try one.key(for: .es256, keyID: nil).keyID == "a")
        let several = JSONWebKeySet(try [first, second, other].map { try JSONWebKey(members: $0.jwk) })
        #expect(throws: OAuthError.invalidToken(.ambiguousKey)) { try several.key(for: .es256, keyID: nil) }
        #expect(try several.key(for: .es256, keyID: "b").keyID == "b")
        #expect(try several.key(for: .rs256, keyID: nil).keyID == "c")
    }

    @Test("RFC 7517 section 4.5: one kid may name keys of two types, not two keys of one type")
    func sharedKeyID() throws {
        let elliptic = try JSONWebKey(members: TestKey(.es256).jwk)
        let rsa = try JSONWebKey(members: TestKey(.rs256).jwk)
        let another = try JSONWebKey(members: TestKey(.es256).jwk)
        #expect(try JSONWebKeySet([elliptic, rsa]).key(for: .es256, keyID: "k1") == elliptic)
        #expect(throws: OAuthError.invalidToken(.ambiguousKey)) {
            try JSONWebKeySet([elliptic, rsa, another]).key(for: .es256, keyID: "k1")
        }
    }

    @Test("RFC 7517 section 4.2: a use that is null says nothing")
    func nullUse() throws {
        let members = try TestKey(.es256).jwk.merging(["use": .null, "key_ops": .null]) { $1 }
        #expect(try JSONWebKeySet([JSONWebKey(members: members)]).key(for: .es256, keyID: "k1").keyID == "k1")
    }

    @Test(
        "RFC 7517 section 4.5: a kid is compared byte for byte, not as Unicode text",
        .guards("claims that lead elsewhere"))
    func keyIDBytes() throws {
        let members = try TestKey(.es256).jwk.merging(["kid": "caf\u{E9}"]) { $1 }
        let keys = JSONWebKeySet([try JSONWebKey(members: members)])
        #expect(throws: OAuthError.invalidToken(.keyNotFound)) { try keys.key(for: .es256, keyID: "cafe\u{301}") }
        _ = try keys.key(for: .es256, keyID: "caf\u{E9}")
    }

    @Test("one key that is published twice, also in another spelling of its numbers, is no ambiguity")
    func sameKeyTwice() throws {
        let rsa = try TestKey(.rs256).jwk
        // RFC 7518 section 6.3.1.1 warns of the zero in front.
        let modulus = try #require(rsa["n"]?.stringValue.flatMap { Base64URL.decode($0) })
        let padded = rsa.merging(["n": .string(Base64URL.encode([0] + modulus) + "==")]) { $1 }
        let elliptic = try TestKey(.es256).jwk
        for pair in [[rsa, rsa], [rsa, padded], [elliptic, elliptic]] {
            let keys = JSONWebKeySet(try pair.map { try JSONWebKey(members: $0) })
            let algorithm: SigningAlgorithm = pair[0]["kty"] == "RSA" ? .rs256 : .es256
            #expect(try keys.key(for: algorithm, keyID: "k1").keyID == "k1")
            #expect(try keys.key(for: algorithm, keyID: nil).keyID == "k1")
        }
    }

    @Test("RFC 7518 section 3.1: a named key on another curve than the algorithm's has an error of its own")
    func unfitKey() throws {
        let key = try TestKey(.es384)
        let members = key.jwk.merging(["alg": "ES512"]) { $1 }
        let keys = JSONWebKeySet([try JSONWebKey(members: members)])
        let error = #expect(throws: OAuthError.self) { try keys.key(for: .es512, keyID: "k1") }
        #expect(error == .invalidToken(.unfitKey(.es512)))
        #expect(error?.failureCode == "jwt_unfit_key")
        #expect(error?.failureClass == .definitive)
        let token = try JSONWebToken(key.sign(["sub": "ada"], header: ["alg": "ES512"]))
        #expect(throws: OAuthError.invalidToken(.unfitKey(.es512))) {
            try SignatureVerifier().verify(token.message, with: keys)
        }
    }

    @Test("RFC 7517 section 5: what cannot be used is left out and spoils nothing", .guards("key entropy"))
    func oddKeys() throws {
        let good = try TestKey(.es256)
        let keys = try JSONWebKeySet(members: [
            "keys": [
                ["kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"], ["kty": "oct", "k": "AAAA"], ["kid": "x"], "x",
                .null,
                ["kty": "OKP", "crv": "X25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"],
                ["kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"], .object(good.jwk),
            ]
        ])
        #expect(keys.keys.map(\.keyID) == ["k1"])
        #expect(throws: OAuthError.invalidToken(.malformedKeySet)) { try JSONWebKeySet(members: ["keys": "x"]) }
    }

    @Test(
        "RFC 7518 section 6: numbers that are no key are refused",
        .guards("cryptographic inputs", "appropriate algorithms"),
        arguments: [
            ["kty": "RSA", "e": "AQAB"], ["kty": "RSA", "n": "AQAB", "e": "AQAB"],
            ["kty": "RSA", "n": .string(String(repeating: "_", count: 171)), "e": "AQAB"],
            ["kty": "RSA", "n": .string(String(repeating: "_", count: 1500)), "e": "AQAB"],
            ["kty": "RSA", "n": "!!", "e": "AQAB"], ["kty": "EC", "crv": "P-256", "x": "AQAB", "y": "AQAB"],
            [
                "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            ],
            [
                "kty": "EC", "crv": "P-384", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            ],
            ["kty": "OKP", "crv": "Ed25519", "x": "AQAB"], ["kty": "OKP", "crv": "Ed448", "x": "AQAB"], [:],
        ] as [[String: JSONValue]])
    func unusable(members: [String: JSONValue]) {
        #expect(throws: OAuthError.invalidToken(.unusableKey)) { try JSONWebKey(members: members) }
    }
}
