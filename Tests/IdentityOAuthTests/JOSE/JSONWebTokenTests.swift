import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("Reading a JWT (RFC 7519 section 7.2)")
struct JSONWebTokenTests {
    @Test("RFC 7519 section 3.1: the published token is read, without any trust in its HMAC")
    func publishedToken() throws {
        let token = try JSONWebToken(
            """
            eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtc\
            GxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
            """)
        #expect(token.algorithm == "HS256")
        #expect(token.type == "JWT")
        #expect(token.issuer == "joe")
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_300_819_380))
        #expect(token.claims["http://example.com/is_root"] == true)
        #expect(token.signature.count == 32)
        #expect(String(decoding: token.signingInput, as: UTF8.self).hasSuffix("290Ijp0cnVlfQ"))
    }

    @Test("RFC 7519 section 6.1: an unsecured token is read; nothing here believes it")
    func unsecured() throws {
        let token = try JSONWebToken("eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.")
        #expect(token.algorithm == "none")
        #expect(token.signature.isEmpty)
    }

    @Test(
        "RFC 7519 section 4.1.3: aud is one string or several",
        arguments: [
            (#""a""#, ["a"]), (#"["a","b"]"#, ["a", "b"]), ("[]", []), (#"["a",1]"#, nil), ("1", nil), ("null", nil),
        ] as [(String, [String]?)])
    func audience(json: String, expected: [String]?) throws {
        #expect(try token(claims: #"{"aud":\#(json)}"#).audience == expected)
    }

    @Test("RFC 7519 section 2: a date may have a fraction, and only a number is one")
    func dates() throws {
        let token = try token(claims: #"{"exp":1700000000.5,"iat":"1700000000","nbf":1700000000}"#)
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(token.notBefore == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(token.issuedAt == nil)
    }

    @Test(
        "a number that no calendar has is no date, and gives no lifetime",
        arguments: ["1e300", "-1e300", "1e22", "9223372036854775807", "-9223372036854775808", "253402300800"])
    func impossibleDates(number: String) throws {
        let expiring = try token(claims: #"{"exp":\#(number),"iat":1700000000}"#)
        #expect(expiring.expiresAt == nil && expiring.lifetime == nil)
        let issued = try token(claims: #"{"exp":1700000000,"iat":\#(number)}"#)
        #expect(issued.issuedAt == nil && issued.lifetime == nil)
    }

    @Test("a token has the lifetime it says, and none when it ends before it begins")
    func lifetime() throws {
        #expect(try token(claims: #"{"exp":1700003600,"iat":1700000000}"#).lifetime == .seconds(3600))
        #expect(try token(claims: #"{"exp":1700000000,"iat":1700003600}"#).lifetime == nil)
        #expect(try token(claims: #"{"exp":253402300799,"iat":-62135769600}"#).lifetime == .seconds(315_538_070_399))
    }

    @Test(
        "RFC 7519 section 7.2: what is not a JWT",
        arguments: [
            ("", "jwt_malformed"), ("a.b", "jwt_malformed"), ("a.b.c.d", "jwt_malformed"), ("...", "jwt_malformed"),
            ("e30.e30", "jwt_malformed"), ("e30=.e30.", "jwt_malformed"), ("e30.e30.a b", "jwt_malformed"),
            (" e30.e30.", "jwt_malformed"), ("e30.e30.\n", "jwt_malformed"), ("W10.e30.", "jwt_malformed"),
            ("e30.W10.", "jwt_malformed_claims"), ("e30..", "jwt_malformed_claims"),
            ("a.b.c.d.e", "jwt_encrypted"),
        ])
    func malformed(token: String, code: String) {
        expectFailure(code) { try JSONWebToken(Secret(token)) }
    }

    @Test(
        "RFC 7516, RFC 7519 section 5.2: encrypted and nested tokens are told apart from broken ones",
        .guards("every signature"))
    func unsupported() {
        expectFailure("jwt_encrypted") { try token(header: #"{"alg":"dir","enc":"A128GCM"}"#, claims: "{}") }
        expectFailure("jwt_nested") { try token(header: #"{"alg":"RS256","cty":"jwt"}"#, claims: "{}") }
    }

    @Test("RFC 8725 section 3.6: nothing is decompressed", .guards("JWT compression"))
    func compressed() {
        // What a few bytes become is the attacker's choice.
        let bomb = "\u{78}\u{DA}"
        expectFailure("jwt_encrypted") {
            try token(header: #"{"alg":"dir","enc":"A128GCM","zip":"DEF"}"#, claims: bomb)
        }
        expectFailure("jwt_malformed_claims") { try token(header: #"{"alg":"RS256","zip":"DEF"}"#, claims: bomb) }
    }

    @Test(
        "RFC 8725 section 3.7: a header or claims that are not UTF-8 are refused", .guards("JWT UTF-8"),
        arguments: [[0x7B, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D], [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]] as [[UInt8]]
    )
    func otherEncodings(bytes: [UInt8]) {
        let (odd, good) = (Base64URL.encode(Data(bytes)), Base64URL.encode(Data("{}".utf8)))
        expectFailure("jwt_malformed") { try JSONWebToken(Secret("\(odd).\(good).AAAA")) }
        expectFailure("jwt_malformed_claims") { try JSONWebToken(Secret("\(good).\(odd).AAAA")) }
    }

    @Test("RFC 7515 section 4, RFC 7519 section 4: a member twice is refused")
    func duplicates() {
        #expect(throws: OAuthError.invalidToken(.duplicateMember("alg"))) {
            try token(header: #"{"alg":"none","alg":"RS256"}"#, claims: "{}")
        }
        #expect(throws: OAuthError.invalidToken(.duplicateMember("sub"))) {
            try token(claims: #"{"sub":"alice","sub":"bob"}"#)
        }
    }

    @Test("a token over 64 KiB is refused before anything is parsed")
    func size() {
        let claims = #"{"a":"\#(String(repeating: "x", count: 65_536))"}"#
        #expect(throws: OAuthError.invalidToken(.tooLarge(limit: 65_536))) { try token(claims: claims) }
    }

    private func token(header: String = #"{"alg":"RS256"}"#, claims: String) throws -> JSONWebToken {
        let parts = [header, claims, "signature"].map { Base64URL.encode(Data($0.utf8)) }
        return try JSONWebToken(Secret(parts.joined(separator: ".")))
    }

    @Test(
        "RFC 7515 section 4.1.4: a kid that is no text is not as if there were none",
        arguments: [1, true, ["k1"]] as [JSONValue])
    func keyIDOfAnotherType(keyID: JSONValue) throws {
        let key = try TestKey(.es256)
        #expect(throws: OAuthError.invalidToken(.malformed)) {
            try JSONWebToken(key.sign([:], header: ["kid": keyID]))
        }
    }
}
