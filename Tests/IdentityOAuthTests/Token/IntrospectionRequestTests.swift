import Foundation
import IdentityOAuth
import Testing

@Suite("Introspection (RFC 7662)")
struct IntrospectionRequestTests {
    @Test("RFC 7662 section 2.1: the request")
    func request() throws {
        let request = IntrospectionRequest(
            token: "t", tokenTypeHint: .accessToken, introspectionEndpoint: try .known("https://id.example/introspect"),
            client: OAuthClient(id: "app", authentication: .clientSecretPost("s")))
        #expect(
            try formFields(request.urlRequest()) == [
                FormField("token", "t"), FormField("token_type_hint", "access_token"), FormField("client_id", "app"),
                FormField("client_secret", "s"),
            ])
    }

    @Test("RFC 7662 section 2.2: what the server says")
    func response() throws {
        let (data, response) = try httpResponse(
            #"{"active":true,"scope":"a b","client_id":"app","sub":"alice","exp":1700000000.5,"x":1}"#)
        let introspection = try IntrospectionResponse(data, response)
        #expect(introspection.isActive)
        #expect(introspection.scopes == ["a", "b"])
        #expect(introspection.subject == "alice")
        #expect(introspection.clientID == "app")
        #expect(introspection.expiresAt == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(introspection.members["x"] == 1)
    }

    @Test(
        "RFC 7662 section 2.2: active is a boolean, and only true is true",
        arguments: [
            (#"{"active":false}"#, nil), ("{}", "answer_missing_member"),
            (#"{"active":"true"}"#, "answer_invalid_member"),
            (#"{"active":1}"#, "answer_invalid_member"),
            (#"{"active":false,"active":true}"#, "answer_duplicate_member"),
        ] as [(String, String?)])
    func active(body: String, failure: String?) throws {
        let (data, response) = try httpResponse(body)
        if let failure {
            expectFailure(failure) { try IntrospectionResponse(data, response) }
        } else {
            #expect(try !IntrospectionResponse(data, response).isActive)
        }
    }
}
