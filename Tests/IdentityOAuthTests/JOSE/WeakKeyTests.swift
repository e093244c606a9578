import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("Keys that others may sign for (RFC 8725 section 3.4)")
struct WeakKeyTests {
    /// The points of order 1, 2, 4 and 8 of edwards25519 without their sign, the last two written beyond the field.
    private static let points = [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "7P_______________________________________38", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
        "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o", "7f_______________________________________38",
        "7v_______________________________________38",
    ]

    @Test(
        "an Ed25519 key of small order is no key, with either sign", .guards("cryptographic inputs"),
        arguments: points, [0, 0x80] as [UInt8])
    func smallOrder(point: String, sign: UInt8) throws {
        var bytes = try #require(Base64URL.decode(point))
        bytes[31] |= sign
        let members: [String: JSONValue] = [
            "kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(bytes)),
        ]
        // Some platforms refuse a few of them before we look.
        let error = #expect(throws: OAuthError.self) { try JSONWebKey(members: members) }
        #expect(error == .invalidToken(.weakKey) || error == .invalidToken(.unusableKey))
    }

    @Test(
        "a signature that holds for every message by the key of order 1 is not accepted",
        .guards("cryptographic inputs", "every signature"))
    func universalSignature() throws {
        let set: [String: JSONValue] = [
            "keys": [["kty": "OKP", "crv": "Ed25519", "x": .string(Self.points[1]), "kid": "k"]]
        ]
        // R is the neutral point and S is zero: S * B = R + h * A for every h.
        let signature = Data([1]) + Data(count: 63)
        let input = Base64URL.encode(Data(#"{"alg":"EdDSA","kid":"k"}"#.utf8)) + ".e30"
        let message = try JSONWebSignature(compact: input + "." + Base64URL.encode(signature))
        #expect(throws: OAuthError.invalidToken(.weakKey)) {
            try SignatureVerifier().verify(message, with: JSONWebKeySet(members: set))
        }
    }

    @Test("an RSA key of 2047 bits is too short (RFC 7518 section 3.3)", .guards("cryptographic inputs"))
    func shortModulus() throws {
        let modulus = Data([0x7F]) + Data(repeating: 0xFF, count: 255)
        let members: [String: JSONValue] = [
            "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": "AQAB",
        ]
        #expect(throws: OAuthError.self) { try JSONWebKey(members: members) }
    }

    @Test(
        "an RSA key with an exponent below 65536 is no key, and is named as the reason",
        .guards("cryptographic inputs"), arguments: ["Aw", "EQ", "AAAAAw", "__8"])
    func smallExponent(exponent: String) throws {
        let key = try TestKey(.rs256)
        let weak = key.jwk.merging(["e": .string(exponent)]) { $1 }
        #expect(throws: OAuthError.invalidToken(.weakKey)) { try JSONWebKey(members: weak) }
        let token = try JSONWebToken(key.sign(["sub": "a"]))
        #expect(throws: OAuthError.invalidToken(.weakKey)) {
            try SignatureVerifier().verify(token.message, with: JSONWebKeySet(members: ["keys": [.object(weak)]]))
        }
    }

    @Test("the usual keys are keys")
    func usualKeys() throws {
        for algorithm in [.rs256, .edDSA] as [SigningAlgorithm] {
            _ = try JSONWebKey(members: TestKey(algorithm).jwk)
        }
        #expect(try JSONWebKey(members: PublishedVectors.rfc8037Key).keyType == "OKP")
    }

    @Test(
        "RFC 7797 section 6: b64 changes what is signed, and is refused without crit as well",
        .guards("every signature"), arguments: [false, true, "false"] as [JSONValue])
    func unencodedPayload(value: JSONValue) throws {
        let key = try TestKey(.es256)
        let token = try JSONWebToken(key.sign(["sub": "a"], header: ["b64": value]))
        #expect(throws: OAuthError.invalidToken(.criticalExtension)) {
            try SignatureVerifier().verify(token.message, with: key.keySet)
        }
    }
}
