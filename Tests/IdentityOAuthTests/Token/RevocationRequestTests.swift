import Foundation
import IdentityOAuth
import Testing

@Suite("Revocation (RFC 7009)")
struct RevocationRequestTests {
    @Test("RFC 7009 section 2.1: the request")
    func request() throws {
        let request = try makeRequest().urlRequest()
        #expect(
            try formFields(request) == [
                FormField("token", "t"), FormField("token_type_hint", "refresh_token"), FormField("client_id", "app"),
            ])
    }

    @Test("RFC 7009 section 2.2: any success is a revoked token, whatever the body", arguments: [200, 204])
    func success(status: Int) throws {
        let (data, response) = try httpResponse("whatever", status: status, contentType: nil)
        try makeRequest().checkResponse(data, response)
    }

    @Test(
        "RFC 7009 section 2.2.1: a refusal leaves the token alive",
        arguments: [
            (400, #"{"error":"unsupported_token_type"}"#, "unsupported_token_type"),
            (401, #"{"error":"invalid_client"}"#, "invalid_client"), (503, "", "answer_failed_status"),
            (302, "", "answer_redirected"),
        ])
    func refusal(status: Int, body: String, code: String) throws {
        let (data, response) = try httpResponse(body, status: status)
        expectFailure(code) { try makeRequest().checkResponse(data, response) }
    }

    private func makeRequest() throws -> RevocationRequest {
        RevocationRequest(
            token: "t", tokenTypeHint: .refreshToken, revocationEndpoint: try .known("https://id.example/revoke"),
            client: OAuthClient(id: "app"))
    }
}
