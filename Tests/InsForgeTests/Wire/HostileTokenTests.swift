import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@testable import InsForge

/// Tokens of the server that no header can carry (RFC 6749 appendix A).
@Suite struct HostileTokenTests {
    private static let hostile = [#"a\r\nX-Injected: 1"#, #"a\n"#, #"a\u0000"#, #"\u00e5"#]

    private let user = """
        {"id":"1","email":"a@b.example","emailVerified":true,"createdAt":"2026-01-01T00:00:00Z",
         "updatedAt":"2026-01-01T00:00:00Z"}
        """

    @Test("A session with such a token is no session", arguments: ["accessToken", "refreshToken"], hostile)
    func session(member: String, token: String) throws {
        let tokens = ["accessToken": "a", "refreshToken": "r"].merging([member: token]) { $1 }
            .map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        let body = Data("{\"user\":\(user),\(tokens)}".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SessionResponse.self, from: body) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SignUpResponse.self, from: body) }
    }

    @Test("A sound session is one, and an empty refresh token is none")
    func sound() throws {
        let body = Data(#"{"user":\#(user),"accessToken":"a","refreshToken":""}"#.utf8)
        let answer = try JSONDecoder().decode(SessionResponse.self, from: body)
        #expect(answer.accessToken == "a" && answer.refreshToken == nil)
        #expect(try JSONDecoder().decode(SignUpResponse.self, from: body).accessToken == "a")
        #expect(try JSONDecoder().decode(SignUpResponse.self, from: Data("{}".utf8)).hasSession == false)
    }

    @Test("A new anonymous key that no header can carry is none", arguments: hostile)
    func anonymousKey(key: String) {
        let body = Data(#"{"anonKey":"\#(key)","oldKeyExpiresAt":"2026-01-01T00:00:00Z"}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(AnonKeyRotation.self, from: body) }
    }

    @Test("A token whose subject has other bytes that look the same is refused")
    func otherSpelling() async throws {
        func part(_ text: String) -> String { Base64URL.encode(Data(text.utf8)) }
        let token = Secret([part(#"{"alg":"HS256"}"#), part(#"{"sub":"cafe\u0301"}"#), "AAAA"].joined(separator: "."))
        let verifier = AccessTokenVerifier(
            baseURL: try ServerURL("https://project.example"), transport: DefaultTransport.make(), time: .system)
        try await verifier.verify(token, of: "cafe\u{301}")
        await #expect(throws: InsForgeAuthError.self) { try await verifier.verify(token, of: "caf\u{E9}") }
    }

    @Test(
        "A date that no calendar has is no date",
        arguments: [
            "+999999999999-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "-99999-01-01T00:00:00Z",
            String(repeating: "9", count: 1_000_000),
            "2026-01-01T00:00:00." + String(repeating: "9", count: 100_000) + "Z",
        ])
    func date(text: String) {
        #expect(ServerDate.parse(text) == nil)
    }
}
