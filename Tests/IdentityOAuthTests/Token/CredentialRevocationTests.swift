import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@Suite("Whether a session survives the revocation of the one it replaces (RFC 7009 section 2.1)")
struct CredentialRevocationTests {
    private func credential(
        sid: JSONValue? = nil, authTime: JSONValue? = nil, backend: String = "https://id.example"
    ) throws -> Credential {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var claims: [String: JSONValue] = ["sub": "ada"]
        (claims["sid"], claims["auth_time"]) = (sid, authTime)
        return Credential(
            accessToken: "a", refreshToken: "r", idToken: try TestKey(.es256).sign(claims), issuedAt: now,
            expiresAt: nil, signedInAt: now, backend: backend, clientID: "app")
    }

    @Test(
        "it does when both name different sessions of the server",
        arguments: [("1", "1", false), ("1", "2", true), (nil, nil, false), ("1", nil, false), (nil, "1", false)]
            as [(JSONValue?, JSONValue?, Bool)])
    func sessions(old: JSONValue?, new: JSONValue?, survives: Bool) throws {
        #expect(try credential(sid: new).survivesRevocation(of: credential(sid: old)) == survives)
    }

    @Test(
        "without those, when the person authenticated twice",
        arguments: [(1, 1, false), (1, 2, true), (nil, 2, false), (1, nil, false)] as [(JSONValue?, JSONValue?, Bool)])
    func authentications(old: JSONValue?, new: JSONValue?, survives: Bool) throws {
        #expect(try credential(authTime: new).survivesRevocation(of: credential(authTime: old)) == survives)
    }

    @Test("a session of the server says more than a time")
    func both() throws {
        let (old, new) = (try credential(sid: "1", authTime: 1), try credential(sid: "1", authTime: 2))
        #expect(!new.survivesRevocation(of: old))
    }

    @Test(
        "it does not where all tokens of a person and a client are one grant",
        arguments: [
            "https://accounts.google.com", "https://example.eu.auth0.com/", "https://appleid.apple.com",
            "https://id.example.com/realms/staff",
        ])
    func oneGrant(issuer: String) throws {
        let (old, new) = (try credential(sid: "1", backend: issuer), try credential(sid: "2", backend: issuer))
        #expect(!new.survivesRevocation(of: old))
    }

    @Test("an ID token that is missing or no JWT says nothing")
    func unreadable() throws {
        var old = try credential(sid: "1")
        for idToken in ["opaque", nil] as [Secret?] {
            old.idToken = idToken
            #expect(try !credential(sid: "2").survivesRevocation(of: old))
        }
    }
}
