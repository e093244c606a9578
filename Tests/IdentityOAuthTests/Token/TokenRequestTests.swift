import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Token request (RFC 6749 section 3.2)")
struct TokenRequestTests {
    private let client = OAuthClient(id: "app")

    @Test("RFC 6749 section 4.1.3, RFC 7636 section 4.5: trading a code, as a form", .guards("public client"))
    func authorizationCode() throws {
        let pending = try AuthorizationRequest(
            client: client, authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known("myapp://callback"), scopes: ["openid"]
        ).pending
        let request = try urlRequest(.authorizationCode("the code", pending: pending))
        #expect(request.httpMethod == "POST")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(
            try formFields(request) == [
                FormField("grant_type", "authorization_code"), FormField("code", "the code"),
                FormField("redirect_uri", "myapp://callback"),
                FormField("code_verifier", pending.codeVerifier.secret.reveal()), FormField("client_id", "app"),
            ])
    }

    @Test("RFC 6749 section 6: refreshing, with the scope left out unless it is narrowed")
    func refreshToken() throws {
        #expect(
            try formFields(urlRequest(.refreshToken("r+1"))) == [
                FormField("grant_type", "refresh_token"), FormField("refresh_token", "r+1"),
                FormField("client_id", "app"),
            ])
        #expect(try formFields(urlRequest(.refreshToken("r", scopes: ["a", "b"]))).only("scope") == "a b")
    }

    @Test("RFC 6749 section 4.4.2: the client's own credentials")
    func clientCredentials() throws {
        let fields = try formFields(urlRequest(.clientCredentials(scopes: ["a"])))
        #expect(fields.only("grant_type") == "client_credentials")
        #expect(fields.only("scope") == "a")
    }

    @Test("The separator of a server that deviates from RFC 6749 section 3.3 stands between the scopes of each grant")
    func scopeSeparator() throws {
        for grant in [
            try TokenGrant.clientCredentials(scopes: ["a", "b"]), try .refreshToken("r", scopes: ["a", "b"]),
        ] {
            var request = TokenRequest(grant, tokenEndpoint: try .known("https://id.example/token"), client: client)
            request.scopeSeparator = ","
            #expect(try formFields(request.urlRequest()).only("scope") == "a,b")
        }
    }

    @Test("RFC 8693 section 2.1: exchanging a token")
    func tokenExchange() throws {
        let fields = try formFields(
            urlRequest(
                .tokenExchange(
                    subjectToken: "s", subjectTokenType: .jwt, actorToken: ("a", .accessToken),
                    requestedTokenType: .accessToken, audiences: ["x", "y"], resources: ["https://api.example"],
                    scopes: ["read"])))
        #expect(fields.only("grant_type") == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(fields.only("subject_token") == "s")
        #expect(fields.only("subject_token_type") == "urn:ietf:params:oauth:token-type:jwt")
        #expect(fields.only("actor_token") == "a")
        #expect(fields.only("actor_token_type") == "urn:ietf:params:oauth:token-type:access_token")
        #expect(fields.only("requested_token_type") == "urn:ietf:params:oauth:token-type:access_token")
        #expect(fields.filter { $0.name == "audience" }.map(\.value) == ["x", "y"])
        #expect(fields.only("resource") == "https://api.example")
        #expect(fields.only("scope") == "read")
    }

    @Test("RFC 8628 section 3.4: trading a device code")
    func deviceCode() throws {
        let fields = try formFields(urlRequest(.deviceCode("d", scopes: ["openid"])))
        #expect(fields.only("grant_type") == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(fields.only("device_code") == "d")
        #expect(fields.only("scope") == nil)
    }

    @Test("RFC 6749 section 2.3.1: Basic carries the form-encoded identifier and secret, the body neither")
    func clientSecretBasic() throws {
        let client = OAuthClient(id: "id:with colon", authentication: .clientSecretBasic("s%ë+/&"))
        let request = try urlRequest(.clientCredentials(scopes: []), client: client)
        let header = try #require(request.value(forHTTPHeaderField: "Authorization"))
        let decoded = try #require(Data(base64Encoded: String(header.dropFirst("Basic ".count))))
        #expect(String(decoding: decoded, as: UTF8.self) == "id%3Awith+colon:s%25%C3%AB%2B%2F%26")
        #expect(try formFields(request) == [FormField("grant_type", "client_credentials")])
    }

    @Test("RFC 6749 section 2.3.1: the secret in the body")
    func clientSecretPost() throws {
        let client = OAuthClient(id: "app", authentication: .clientSecretPost("s&="))
        let request = try urlRequest(.clientCredentials(scopes: []), client: client)
        #expect(try formFields(request).only("client_id") == "app")
        #expect(try formFields(request).only("client_secret") == "s&=")
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test(
        "an extra parameter cannot override one of the protocol",
        arguments: ["grant_type", "refresh_token", "client_id", "client_secret", "client_assertion", "scope"])
    func reservedParameters(name: String) throws {
        let request = TokenRequest(
            try .refreshToken("r"), tokenEndpoint: try .known("https://id.example/token"), client: client,
            extraParameters: [FormField(name, "x")])
        #expect(throws: OAuthError.invalidSetting(.reservedParameter(name))) { try request.urlRequest() }
    }

    @Test("RFC 9700 section 2.4: no grant trades a password, and no setting makes one do so", .guards("password grant"))
    func passwords() throws {
        let pending = try AuthorizationRequest(
            client: client, authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known("myapp://callback"), scopes: ["openid"]
        ).pending
        let grants: [TokenGrant] = [
            .authorizationCode("c", pending: pending), try .refreshToken("r"), try .clientCredentials(scopes: []),
            .deviceCode("d", scopes: []), try .tokenExchange(subjectToken: "s", subjectTokenType: .jwt),
        ]
        for grant in grants {
            let names = try Set(formFields(urlRequest(grant)).map(\.name))
            #expect(names.isDisjoint(with: ["username", "password"]))
            let request = TokenRequest(
                grant, tokenEndpoint: try .known("https://id.example/token"), client: client,
                extraParameters: [FormField("grant_type", "password")])
            #expect(throws: OAuthError.invalidSetting(.reservedParameter("grant_type"))) { try request.urlRequest() }
        }
        let words = [GrantType.authorizationCode, .refreshToken, .clientCredentials, .deviceCode, .tokenExchange]
        #expect(Set(grants.map(\.grantType)) == Set(words))
        #expect(throws: OAuthError.invalidSetting(.invalidParameter("grant_type"))) {
            try TokenGrant("password", fields: [FormField("username", "ada"), FormField("password", "p")])
        }
    }

    @Test("RFC 6749 section 3.2: the endpoint is https", .guards("end-to-end TLS"))
    func insecureEndpoint() throws {
        #expect(throws: OAuthError.invalidSetting(.insecureEndpoint(host: "id.example"))) {
            try urlRequest(.refreshToken("r"), endpoint: "http://id.example/token")
        }
    }

    @Test("nothing that prints a request prints what it trades")
    func redaction() throws {
        let client = OAuthClient(id: "app", authentication: .clientSecretPost("planted"))
        let request = TokenRequest(
            try .refreshToken("planted"), tokenEndpoint: try .known("https://id.example/token"), client: client)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request) \(String(reflecting: request)) \(dumped)".contains("planted"))
    }

    private func urlRequest(
        _ grant: TokenGrant, client: OAuthClient? = nil, endpoint: String = "https://id.example/token"
    ) throws -> URLRequest {
        try TokenRequest(grant, tokenEndpoint: .known(endpoint), client: client ?? self.client).urlRequest()
    }
}
