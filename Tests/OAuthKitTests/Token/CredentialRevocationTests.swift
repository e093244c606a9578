import Foundation
import IdentityKit
import OAuthKit
import Testing

@Suite("Whether a session survives the revocation of the one it replaces (RFC 7009 section 2.1)")
struct CredentialRevocationTests {
    private func credential(_ sid: JSONValue?, backend: String = "https://id.example") throws -> Credential {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var claims: [String: JSONValue] = ["sub": "ada"]
        claims["sid"] = sid
        return Credential(
            accessToken: "a", refreshToken: "r", idToken: try TestKey(.es256).sign(claims), issuedAt: now,
            expiresAt: nil, signedInAt: now, backend: backend, clientID: "app")
    }

    @Test(
        "it does unless both are of one session of the server",
        arguments: [("1", "1", false), ("1", "2", true), (nil, nil, true), ("1", nil, true), (nil, "1", true)]
            as [(JSONValue?, JSONValue?, Bool)])
    func sessions(old: JSONValue?, new: JSONValue?, survives: Bool) throws {
        #expect(try credential(new).survivesRevocation(of: credential(old)) == survives)
    }

    @Test("it does not at Google, where all tokens of a person and a client are one grant")
    func google() throws {
        let issuer = "https://accounts.google.com"
        #expect(try !credential(nil, backend: issuer).survivesRevocation(of: credential(nil, backend: issuer)))
    }

    @Test("an ID token that is missing or no JWT says nothing")
    func unreadable() throws {
        var old = try credential("1")
        old.idToken = "opaque"
        #expect(try credential("1").survivesRevocation(of: old))
        old.idToken = nil
        #expect(try credential("1").survivesRevocation(of: old))
    }
}
