import Foundation
import IdentityKit
import IdentityOAuth
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Pushed authorization requests (RFC 9126)")
struct PushedAuthorizationRequestTests {
    @Test("RFC 9126 section 2.1: the parameters of the authorization request, once each, with the client's credentials")
    func request() throws {
        for authentication in [ClientAuthentication.none, .clientSecretPost("s"), .clientSecretBasic("s")] {
            let pushed = try makeRequest(authentication)
            let request = try pushed.urlRequest()
            let fields = try formFields(request)
            #expect(try fields.filter { $0.name != "client_secret" } == pushed.authorizationRequest.parameters)
            #expect(fields.only("client_id") == "app")
            #expect(request.httpMethod == "POST")
        }
        #expect(try formFields(makeRequest(.clientSecretPost("s")).urlRequest()).only("client_secret") == "s")
        let header = try makeRequest(.clientSecretBasic("s")).urlRequest().value(forHTTPHeaderField: "Authorization")
        #expect(header?.hasPrefix("Basic ") == true)
    }

    @Test("RFC 9126 section 4: the browser carries the client and the reference alone")
    func url() throws {
        let (data, response) = try httpResponse(
            #"{"request_uri":"urn:ietf:params:oauth:request_uri:6esc_11ACC5b","expires_in":60}"#, status: 201)
        let url = try makeRequest().url(from: data, response)
        #expect(
            url.absoluteString
                == "https://id.example/authorize?client_id=app&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6esc_11ACC5b"
        )
    }

    @Test(
        "RFC 9126 sections 2.2 and 2.3: anything else is refused",
        arguments: [
            (200, #"{"request_uri":"urn:x","expires_in":60}"#, "answer_unexpected_status"),
            (201, #"{"expires_in":60}"#, "answer_missing_member"),
            (400, #"{"error":"invalid_request"}"#, "invalid_request"), (413, "", "answer_failed_status"),
        ])
    func refusals(status: Int, body: String, code: String) throws {
        let (data, response) = try httpResponse(body, status: status)
        expectFailure(code) { try makeRequest().url(from: data, response) }
    }

    private func makeRequest(_ authentication: ClientAuthentication = .none) throws -> PushedAuthorizationRequest {
        let client = OAuthClient(id: "app", authentication: authentication)
        return PushedAuthorizationRequest(
            try AuthorizationRequest(
                client: client, authorizationEndpoint: .known("https://id.example/authorize"),
                redirectURI: .known("myapp://callback"), scopes: ["openid"]),
            client: client, endpoint: try .known("https://id.example/par"))
    }
}
