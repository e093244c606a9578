import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Userinfo (OpenID Connect Core section 5.3)")
struct UserInfoRequestTests {
    @Test("RFC 6750 section 2.1: the token is in the header")
    func request() throws {
        let request = try makeRequest().urlRequest()
        #expect(request.httpMethod == "GET")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer the-token")
        #expect(request.url?.query == nil)
    }

    @Test(
        "section 5.3.4: the sub must be the one of the ID token",
        arguments: [
            (#"{"sub":"alice","name":"Alice"}"#, nil), (#"{"sub":"bob"}"#, "userinfo_sub_mismatch"),
            (#"{"name":"Alice"}"#, "userinfo_sub_mismatch"), (#"{"sub":7}"#, "userinfo_sub_mismatch"),
            (#"{"sub":"alice","sub":"alice"}"#, "answer_duplicate_member"), ("", "answer_malformed_json"),
        ] as [(String, String?)])
    func subject(body: String, failure: String?) throws {
        let (data, response) = try httpResponse(body)
        if let failure {
            expectFailure(failure) { try makeRequest().userInfo(from: data, response, subject: "alice") }
        } else {
            let userInfo = try makeRequest().userInfo(from: data, response, subject: "alice")
            #expect(userInfo.claims["name"] == "Alice")
        }
    }

    @Test(
        "A number is the ID token's text of the same digits, and nothing else",
        arguments: [
            ("7", "7", true), ("9223372036854775807", "9223372036854775807", true), ("-7", "-7", true),
            ("7", "07", false), ("7", "7.0", false), ("7", " 7", false), ("7", "8", false), ("7", "\u{667}", false),
            ("7.5", "7.5", false), ("9223372036854775808", "9223372036854775808", false),
            ("7.0", "7", false), ("7e0", "7", false), ("70e-1", "7", false), ("0", "0", true), ("-0", "0", false),
            ("-0", "-0", false), ("true", "true", false), ("null", "null", false), ("7", nil, false),
        ] as [(String, String?, Bool)])
    func number(written: String, subject: String?, isSame: Bool) throws {
        let (data, response) = try httpResponse(#"{"sub":\#(written)}"#)
        if isSame {
            #expect(try makeRequest().userInfo(from: data, response, subject: subject).subject == subject)
        } else {
            expectFailure("userinfo_sub_mismatch") {
                try makeRequest().userInfo(from: data, response, subject: subject)
            }
        }
    }

    @Test(
        "RFC 6750 section 3: a refusal is in the challenge, with or without a body",
        arguments: [
            (401, #"Bearer error="invalid_token", error_description="expired""#, "", "invalid_token"),
            (403, #"Bearer realm="x", error="insufficient_scope", scope="openid""#, "<html>", "insufficient_scope"),
            (401, "Bearer", #"{"error":"invalid_token"}"#, "invalid_token"),
            (401, "Bearer", "", "answer_failed_status"),
            (401, #"error="invalid_token""#, "", "answer_failed_status"),
            (401, #"Basic error="invalid_token""#, "", "answer_failed_status"),
            (401, nil, "", "answer_failed_status"),
        ] as [(Int, String?, String, String)])
    func refusals(status: Int, challenge: String?, body: String, code: String) throws {
        let headers = challenge.map { ["WWW-Authenticate": $0] } ?? [:]
        let (data, response) = try httpResponse(body, status: status, contentType: nil, headers: headers)
        expectFailure(code) { try makeRequest().userInfo(from: data, response, subject: "alice") }
    }

    @Test(
        "section 5.3.2: a signed response is verified, and is of this issuer for this client",
        .guards("explicit types", "JWT audience"),
        arguments: [
            (["sub": "alice"], [:], nil), (["sub": "alice", "iss": "https://id.example", "aud": ["app"]], [:], nil),
            (["sub": "bob"], [:], "userinfo_sub_mismatch"),
            (["sub": "alice", "iss": "https://evil.example"], [:], "userinfo_iss_mismatch"),
            (["sub": "alice", "iss": 7], [:], "userinfo_iss_mismatch"),
            (["sub": "alice", "aud": "other"], [:], "userinfo_aud_mismatch"),
            (["sub": "alice"], ["typ": "JWT"], nil), (["sub": "alice"], ["typ": "at+jwt"], "userinfo_wrong_type"),
            (["sub": "alice"], ["typ": "application/LOGOUT+JWT"], "userinfo_wrong_type"),
            (["sub": "alice"], ["alg": "none"], "jwt_unaccepted_algorithm"),
            (["sub": "alice"], ["kid": "other"], "jwt_key_not_found"),
        ] as [([String: JSONValue], [String: JSONValue], String?)])
    func signed(claims: [String: JSONValue], header: [String: JSONValue], failure: String?) async throws {
        let key = try TestKey(.es256)
        let keys: JSONValue = ["keys": [.object(key.jwk)]]
        let transport = TableTransport(bodies: [
            "https://id.example/jwks": String(decoding: try JSONEncoder().encode(keys), as: UTF8.self)
        ])
        let cache = JWKSCache(jwksURI: try .known("https://id.example/jwks"), transport: transport)
        let (data, response) = try httpResponse(
            key.sign(claims, header: header).reveal(), contentType: "application/jwt; charset=utf-8")
        let request = try makeRequest()
        let result: Result<UserInfo, any Error>
        do {
            result = .success(
                try await request.userInfo(
                    from: data, response, subject: "alice", issuer: "https://id.example", keys: cache))
        } catch {
            result = .failure(error)
        }
        if let failure {
            expectFailure(failure) { try result.get() }
        } else {
            #expect(try result.get().subject == "alice")
        }
        expectFailure("answer_wrong_content_type") {
            try request.userInfo(from: data, response, subject: "alice")
        }
    }

    @Test("RFC 9701 section 5: JSON that is called a signed response is none, and any other name makes no difference")
    func unsigned() async throws {
        let cache = try JWKSCache(
            jwksURI: .known("https://id.example/jwks"), transport: TableTransport(bodies: [:]))
        for (type, code) in [("application/jwt", "answer_wrong_content_type"), ("text/plain", nil), (nil, nil)] {
            let (data, response) = try httpResponse(
                #"{"sub":"alice"}"#, contentType: type, url: "https://id.example/userinfo")
            func read() throws -> UserInfo { try makeRequest().userInfo(from: data, response, subject: "alice") }
            let verified = try? await makeRequest().userInfo(
                from: data, response, subject: "alice", issuer: "https://id.example", keys: cache)
            #expect((verified == nil) == (code != nil))
            if let code { expectFailure(code) { try read() } } else { #expect(try read().subject == "alice") }
        }
    }

    @Test("a person's profile may have 16 MiB")
    func size() throws {
        func info(_ photo: Int) throws -> UserInfo {
            let document = #"{"sub":"alice","picture":"\#(String(repeating: "A", count: photo))"}"#
            let (data, response) = try httpResponse(
                document, contentType: "application/json", url: "https://id.example/userinfo")
            return try makeRequest().userInfo(from: data, response, subject: "alice")
        }
        #expect(try info(2 << 20).subject == "alice")
        expectFailure("answer_too_large") { try info(16 << 20) }
    }

    private func makeRequest() throws -> UserInfoRequest {
        UserInfoRequest(
            userinfoEndpoint: try .known("https://id.example/userinfo"), accessToken: "the-token",
            client: OAuthClient(id: "app"))
    }
}
