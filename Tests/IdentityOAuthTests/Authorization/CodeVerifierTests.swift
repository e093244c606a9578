import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("PKCE (RFC 7636)")
struct CodeVerifierTests {
    @Test("RFC 7636 appendix B: the published octets give the published verifier and challenge", .guards("S256"))
    func publishedVector() throws {
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let verifier = try CodeVerifier(random: RandomSource { _ in octets })
        #expect(verifier.secret.reveal() == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(verifier.codeChallenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(
        "RFC 7636 section 4.1: 43 to 128 unreserved characters",
        arguments: [
            (42, "a", false), (43, "a", true), (128, "~", true), (129, "a", false), (43, "-", true), (43, ".", true),
            (43, "_", true), (43, "+", false), (43, "/", false), (43, "=", false), (43, " ", false), (43, "é", false),
        ])
    func length(count: Int, character: String, isValid: Bool) {
        let verifier = try? CodeVerifier(Secret(String(repeating: character, count: count)))
        #expect((verifier != nil) == isValid)
    }

    @Test("RFC 7636 section 7.1: without random bytes there is no verifier")
    func failClosed() {
        struct Broken: Error {}
        #expect(throws: RandomnessError()) { try CodeVerifier(random: RandomSource { _ in throw Broken() }) }
        #expect(throws: RandomnessError()) { try CodeVerifier(random: RandomSource { _ in [1, 2, 3] }) }
    }

    @Test("a verifier prints as redacted and a stored one is checked when it is read")
    func secrecy() throws {
        let verifier = try CodeVerifier()
        #expect(!"\(verifier)".contains(verifier.secret.reveal()))
        #expect(try JSONDecoder().decode(CodeVerifier.self, from: JSONEncoder().encode(verifier)) == verifier)
        #expect(throws: OAuthError.self) { try JSONDecoder().decode(CodeVerifier.self, from: Data(#""short""#.utf8)) }
    }
}
