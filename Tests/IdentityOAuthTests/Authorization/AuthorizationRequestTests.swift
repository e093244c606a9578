import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

@Suite("Authorization request (RFC 6749 section 4.1.1)")
struct AuthorizationRequestTests {
    @Test(
        "RFC 6749 section 4.1.1, RFC 7636 section 4.3: the parameters of a plain request",
        .guards("implicit grant", "S256", "least privilege"))
    func parameters() throws {
        let request = try makeRequest()
        let fields = try #require(FormEncoding.decode(request.url.query ?? ""))
        #expect(
            fields.map(\.name) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method",
            ])
        #expect(fields.only("response_type") == "code")
        #expect(fields.only("client_id") == "my app")
        #expect(fields.only("redirect_uri") == "com.example.app:/callback")
        #expect(fields.only("scope") == "openid profile")
        #expect(fields.only("state") == request.pending.state)
        #expect(fields.only("nonce") == request.pending.nonce)
        #expect(fields.only("code_challenge") == request.pending.codeVerifier.codeChallenge)
        #expect(fields.only("code_challenge_method") == "S256")
        #expect(try !request.url.absoluteString.contains(request.pending.codeVerifier.secret.reveal()))
    }

    @Test("OpenID Connect Core section 3.1.2.1, RFC 8707 section 2: the options", .guards("audience-restricted tokens"))
    func options() throws {
        var request = try makeRequest()
        request.prompt = [.login, .consent]
        request.options.loginHint = "ana+x@example.org"
        request.options.maxAge = 300
        request.options.acrValues = ["urn:mfa", "urn:pwd"]
        request.options.uiLocales = ["de-CH", "en"]
        request.options.resources = ["https://api.example/a", "https://api.example/b"]
        request.responseMode = .formPost
        request.extraParameters = [FormField("audience", "x")]
        let fields = try #require(FormEncoding.decode(request.url.query ?? ""))
        #expect(fields.only("prompt") == "login consent")
        #expect(fields.only("login_hint") == "ana+x@example.org")
        #expect(fields.only("max_age") == "300")
        #expect(fields.only("acr_values") == "urn:mfa urn:pwd")
        #expect(fields.only("ui_locales") == "de-CH en")
        #expect(fields.filter { $0.name == "resource" }.map(\.value) == request.options.resources)
        #expect(fields.only("response_mode") == "form_post")
        #expect(fields.only("audience") == "x")
        #expect(request.pending.maxAge == 300)
        #expect(request.pending.acrValues == ["urn:mfa", "urn:pwd"])
    }

    @Test("RFC 3986 section 2.1: a space is %20 in the address, and a plus sign %2B, as a server receives them")
    func spaces() async throws {
        let server = try await LocalHTTPServer.start { .text($0.target) }
        var request = try AuthorizationRequest(
            client: OAuthClient(id: "my app", transportSecurity: .loopbackHTTPAllowed),
            authorizationEndpoint: server.url.appendingPathComponent("authorize"),
            redirectURI: .known("com.example.app:/callback"), scopes: ["openid", "profile"])
        request.options.loginHint = "ana+x@example.org"
        let (target, _) = try await DefaultTransport.make().data(for: URLRequest(url: request.url))
        let text = String(decoding: target, as: UTF8.self)
        #expect(text.contains("client_id=my%20app&") && text.contains("scope=openid%20profile&"))
        #expect(text.contains("login_hint=ana%2Bx%40example.org") && !text.contains("+"))
        await server.stop()
    }

    @Test(
        "RFC 6749 section 10.10: state, nonce and verifier are 256 bits each and never repeat", .guards("fresh values"))
    func freshness() throws {
        let flows = try (0..<20).map { _ in try makeRequest().pending }
        let values = flows.flatMap { [$0.state, $0.nonce, $0.codeVerifier.secret.reveal()] }
        #expect(Set(values).count == 60)
        #expect(values.allSatisfy { Base64URL.decode($0)?.count == 32 })
    }

    @Test("without random bytes no flow starts", .guards("code interception"))
    func failClosed() {
        struct Broken: Error {}
        #expect(throws: RandomnessError()) { try makeRequest(random: RandomSource { _ in throw Broken() }) }
    }

    @Test("RFC 6749 section 3.1: the endpoint's own query is kept")
    func endpointQuery() throws {
        let url = try makeRequest(endpoint: "https://id.example/authorize?p=b2c_1").url
        #expect(url.absoluteString.hasPrefix("https://id.example/authorize?p=b2c_1&response_type=code&"))
        #expect(try makeRequest(endpoint: "https://id.example/a?").url.query?.hasPrefix("response_type=code&") == true)
    }

    @Test(
        "an extra parameter cannot override one of the protocol, used or not", .guards("PKCE downgrade"),
        arguments: [
            "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "response_mode", "prompt", "max_age", "request", "request_uri", "client_secret",
        ])
    func reservedParameters(name: String) throws {
        var request = try makeRequest()
        request.extraParameters = [FormField(name, "x")]
        #expect(throws: OAuthError.invalidSetting(.reservedParameter(name))) { try request.url }
    }

    @Test("RFC 6749 section 3.1: a parameter the endpoint's query already has would be sent twice")
    func repeatedParameter() throws {
        let request = try makeRequest(endpoint: "https://id.example/authorize?client_id=other")
        #expect(throws: OAuthError.invalidSetting(.reservedParameter("client_id"))) { try request.url }
    }

    @Test("OpenID Connect Core section 3.1.2.1: prompt=none stands alone")
    func promptNone() throws {
        var request = try makeRequest()
        request.prompt = [.none, .login]
        #expect(throws: OAuthError.invalidSetting(.invalidParameter("prompt"))) { try request.url }
    }

    @Test(
        "RFC 6749 section 3.3: a scope is a scope token", arguments: ["two words", "", "quote\"", "back\\slash", "ü"])
    func scopeTokens(scope: String) throws {
        let request = try makeRequest(scopes: [scope])
        #expect(throws: OAuthError.invalidSetting(.invalidParameter("scope"))) { try request.url }
    }

    @Test(
        "RFC 8707 section 2: a resource is an absolute URI without fragment", .guards("audience-restricted tokens"),
        arguments: ["/api", "https://a#b"])
    func resources(resource: String) throws {
        var request = try makeRequest()
        request.options.resources = [resource]
        #expect(throws: OAuthError.invalidSetting(.invalidParameter("resource"))) { try request.url }
    }

    @Test(
        "RFC 8252 section 7, RFC 6749 section 3.1.2: which redirect URIs can be used", .guards("redirect over TLS"),
        arguments: [
            ("com.example.app:/callback", true), ("myapp://callback", true), ("https://app.example/cb", true),
            ("http://127.0.0.1:51004/cb", true), ("http://[::1]:51004/cb", true), ("http://app.example/cb", false),
            ("https://app.example/cb#x", false), ("/cb", false), ("https://u@app.example/cb", false),
        ])
    func redirectURIs(redirectURI: String, isUsable: Bool) throws {
        let request = try? makeRequest(redirectURI: redirectURI)
        #expect((request != nil) == isUsable)
    }

    @Test("RFC 9700 section 2.6: the endpoint is https", .guards("end-to-end TLS"))
    func insecureEndpoint() {
        #expect(throws: OAuthError.invalidSetting(.insecureEndpoint(host: "id.example"))) {
            try makeRequest(endpoint: "http://id.example/authorize")
        }
    }

    @Test("metadata fills in the endpoint, the issuer and whether iss is due")
    func fromMetadata() throws {
        let metadata = try AuthorizationServerMetadata(members: [
            "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
            "authorization_response_iss_parameter_supported": true,
        ])
        let request = try AuthorizationRequest(
            client: OAuthClient(id: "app"), metadata: metadata, redirectURI: .known("myapp://callback"),
            scopes: ["openid"])
        #expect(request.issuer == "https://id.example")
        #expect(request.pending.requiresIssuer)
        #expect(try request.url.absoluteString.hasPrefix("https://id.example/authorize?"))
    }

    @Test(
        "RFC 9700 section 4.8: PKCE by S256 is used, whatever methods the server announces",
        .guards("PKCE downgrade"), arguments: [nil, [], ["plain"], ["plain", "S256"]] as [JSONValue?])
    func announcedMethods(methods: JSONValue?) throws {
        var members: [String: JSONValue] = [
            "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
        ]
        members["code_challenge_methods_supported"] = methods
        let request = try AuthorizationRequest(
            client: OAuthClient(id: "app"), metadata: AuthorizationServerMetadata(members: members),
            redirectURI: .known("myapp://callback"), scopes: ["openid"])
        let fields = try request.parameters
        #expect(fields.only("code_challenge_method") == "S256")
        #expect(fields.only("code_challenge") == request.pending.codeVerifier.codeChallenge)
    }

    @Test("a pending flow survives a restart and expires when it should")
    func pendingCoding() throws {
        let clock = ManualClock()
        let pending = try makeRequest(lifetime: .seconds(120), time: clock.timeSource).pending
        #expect(pending.createdAt == clock.now)
        #expect(pending.expiresAt == clock.now + 120)
        #expect(try JSONDecoder().decode(PendingAuthorization.self, from: JSONEncoder().encode(pending)) == pending)
    }

    private func makeRequest(
        endpoint: String = "https://id.example/authorize", redirectURI: String = "com.example.app:/callback",
        scopes: [String] = ["openid", "profile"], lifetime: Duration = .seconds(600),
        random: RandomSource = .system, time: TimeSource = .system
    ) throws -> AuthorizationRequest {
        try AuthorizationRequest(
            client: OAuthClient(id: "my app"), authorizationEndpoint: .known(endpoint),
            redirectURI: .known(redirectURI), scopes: scopes, lifetime: lifetime, random: random, time: time)
    }
}
