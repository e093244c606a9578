import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("Discovery (OpenID Connect Discovery 1.0, RFC 8414)")
struct DiscoveryTests {
    @Test(
        "OpenID Connect Discovery section 4, RFC 8414 section 3.1: where the documents are",
        arguments: [
            (
                "https://id.example", "https://id.example/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server"
            ),
            (
                "https://id.example/", "https://id.example/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server"
            ),
            (
                "https://id.example:8443/tenant/a", "https://id.example:8443/tenant/a/.well-known/openid-configuration",
                "https://id.example:8443/.well-known/oauth-authorization-server/tenant/a"
            ),
            (
                "https://id.example/tenant/", "https://id.example/tenant/.well-known/openid-configuration",
                "https://id.example/.well-known/oauth-authorization-server/tenant"
            ),
        ])
    func locations(issuer: String, openIDConnect: String, authorizationServer: String) throws {
        #expect(try Discovery.url(.openIDConnect, issuer: issuer).absoluteString == openIDConnect)
        #expect(try Discovery.url(.authorizationServer, issuer: issuer).absoluteString == authorizationServer)
    }

    @Test(
        "RFC 8414 section 2: an issuer is an https URL without query and fragment",
        arguments: [
            ("http://id.example", "http://id.example"), ("https://id.example?x=1", "https://id.example"),
            ("https://id.example#x", "https://id.example"), ("id.example", "id.example"), ("", ""),
            ("https://", "https://"), ("https://user@id.example", "https://id.example"),
            ("https://user:pass@word@id.example:1/a@b?c", "https://id.example:1/a@b"),
            ("urn:example:issuer", "urn:example:issuer"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            // A mark that a combining character makes another character to Swift, and to no server.
            ("https://id.example/a?\u{301}x", "https://id.example/a"),
            ("https://id.example/a#\u{301}x", "https://id.example/a"),
            ("https://user@\u{301}id.example", "https://\u{301}id.example"),
        ])
    func invalidIssuers(issuer: String, shown: String) {
        #expect(throws: OAuthError.invalidSetting(.invalidIssuer(shown))) {
            try Discovery.url(.openIDConnect, issuer: issuer)
        }
    }

    @Test("plain http to this machine works when it is allowed")
    func loopback() throws {
        let url = try Discovery.url(
            .openIDConnect, issuer: "http://127.0.0.1:8080", transportSecurity: .loopbackHTTPAllowed)
        #expect(url.absoluteString == "http://127.0.0.1:8080/.well-known/openid-configuration")
    }

    @Test("OpenID Connect Discovery section 3: the members of a real document")
    func document() throws {
        let metadata = try metadata(
            #"""
            {"issuer":"https://id.example","authorization_endpoint":"https://id.example/oauth2/authorize",
             "token_endpoint":"https://id.example/oauth2/token","jwks_uri":"https://id.example/oauth2/jwks",
             "revocation_endpoint":"https://id.example/oauth2/revoke","end_session_endpoint":"https://id.example/logout",
             "grant_types_supported":["authorization_code","urn:ietf:params:oauth:grant-type:jwt-bearer"],
             "token_endpoint_auth_methods_supported":["none","private_key_jwt"],
             "code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true,
             "scopes_supported":["openid","profile"],"registration_endpoint":"https://id.example/dcr"}
            """#)
        #expect(metadata.tokenEndpoint?.path == "/oauth2/token")
        #expect(metadata.endSessionEndpoint?.path == "/logout")
        #expect(metadata.userinfoEndpoint == nil)
        #expect(metadata.sendsIssuerInAuthorizationResponse)
        #expect(!metadata.requiresPushedAuthorizationRequests)
        #expect(metadata.grantTypesSupported?.last == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(metadata.tokenEndpointAuthMethodsSupported == [.none, .privateKeyJWT])
        #expect(metadata.members["registration_endpoint"] == "https://id.example/dcr")
        #expect(throws: OAuthError.invalidMetadata(.missingEndpoint(member: "userinfo_endpoint"))) {
            try metadata.endpoint(.userinfo)
        }
    }

    @Test("a stored document reads back as it was, unknown members included")
    func coding() throws {
        let metadata = try metadata(
            #"{"issuer":"https://id.example","token_endpoint":"https://id.example/t","vendor":{"x":[1]}}"#)
        let copy = try JSONDecoder().decode(
            AuthorizationServerMetadata.self, from: JSONEncoder().encode(metadata))
        #expect(copy == metadata)
    }

    @Test(
        "OpenID Connect Discovery section 4.3, RFC 8414 section 3.3: the issuer is compared byte for byte",
        .guards("server metadata"),
        arguments: [
            ("https://id.example", "https://id.example/"), ("https://id.example", "https://ID.example"),
            ("https://id.example/caf\u{E9}", "https://id.example/cafe\u{301}"),
            ("https://id.example", "https://evil.example"),
        ])
    func issuerMismatch(expected: String, received: String) throws {
        #expect(throws: OAuthError.invalidMetadata(.issuerMismatch(expected: expected, received: received))) {
            try metadata(#"{"issuer":"\#(received)"}"#, issuer: expected)
        }
    }

    @Test(
        "RFC 8414 section 2: endpoints are https URLs, also when the issuer is",
        .guards("server metadata", "end-to-end TLS"),
        arguments: [
            (#""http://id.example/token""#, "metadata_insecure_endpoint"),
            (#""http://127.0.0.1/token""#, "metadata_insecure_endpoint"),
            (#""/token""#, "metadata_invalid_endpoint"), ("7", "metadata_invalid_endpoint"),
            (#""javascript:alert(1)""#, "metadata_invalid_endpoint"),
        ])
    func endpoints(value: String, code: String) {
        expectFailure(code) { try metadata(#"{"issuer":"https://id.example","token_endpoint":\#(value)}"#) }
    }

    @Test(
        "an endpoint that no sign-in needs is not used when it is no address, and blocks nothing",
        arguments: [#""""#, #""/revoke""#, "7", #""http://id.example/revoke""#, #""javascript:alert(1)""#, "null"])
    func optionalEndpoints(value: String) throws {
        let metadata = try metadata(
            #"{"issuer":"https://id.example","token_endpoint":"https://id.example/t","revocation_endpoint":\#(value)}"#)
        #expect(metadata.tokenEndpoint?.path == "/t")
        #expect(metadata.revocationEndpoint == nil)
        expectFailure(
            ["\"\"", "null"].contains(value)
                ? "metadata_missing_endpoint"
                : value.contains("http:") ? "metadata_insecure_endpoint" : "metadata_invalid_endpoint"
        ) { try metadata.endpoint(.revocation) }
    }

    @Test("an endpoint that cannot be used in the first document is taken from the second one")
    func invalidThenValid() async throws {
        let transport = TableTransport(bodies: [
            "https://id.example/.well-known/openid-configuration":
                #"{"issuer":"https://id.example","token_endpoint":"https://id.example/a","revocation_endpoint":""}"#,
            "https://id.example/.well-known/oauth-authorization-server":
                #"{"issuer":"https://id.example","revocation_endpoint":"https://id.example/r"}"#,
        ])
        let metadata = try await Discovery.discover(issuer: "https://id.example", using: transport)
        #expect(metadata.revocationEndpoint?.path == "/r")
    }

    @Test(
        "an address of the caller's counts instead of the document's, which may be unusable",
        arguments: [#""http://backend:8080/token""#, #""/token""#, #""https://id.example/wrong""#, "null"])
    func replacedEndpoints(value: String) throws {
        let (data, response) = try httpResponse(#"{"issuer":"https://id.example","token_endpoint":\#(value)}"#)
        let replaced = try Discovery.metadata(
            from: data, response, issuer: "https://id.example", replacing: [.token: .known("https://id.example/right")])
        #expect(replaced.tokenEndpoint?.path == "/right")
        expectFailure("setting_insecure_endpoint") {
            try Discovery.metadata(
                from: data, response, issuer: "https://id.example",
                replacing: [.token: .known("http://id.example/right")])
        }
    }

    @Test("a member that is null counts as absent")
    func nullMember() throws {
        #expect(try metadata(#"{"issuer":"https://id.example","token_endpoint":null}"#).tokenEndpoint == nil)
    }

    @Test("the RFC 8414 document supplies the endpoints the other one lacks, and overrides none")
    func bothDocuments() async throws {
        let transport = TableTransport(bodies: [
            "https://id.example/.well-known/openid-configuration":
                #"{"issuer":"https://id.example","token_endpoint":"https://id.example/a"}"#,
            "https://id.example/.well-known/oauth-authorization-server":
                #"{"issuer":"https://id.example","token_endpoint":"https://id.example/b","revocation_endpoint":"https://id.example/r"}"#,
        ])
        let metadata = try await Discovery.discover(issuer: "https://id.example", using: transport)
        #expect(metadata.tokenEndpoint?.path == "/a")
        #expect(metadata.revocationEndpoint?.path == "/r")
    }

    @Test("a server with only the RFC 8414 document is found")
    func authorizationServerOnly() async throws {
        let transport = TableTransport(bodies: [
            "https://id.example/.well-known/oauth-authorization-server/t":
                #"{"issuer":"https://id.example/t","token_endpoint":"https://id.example/b"}"#
        ])
        let metadata = try await Discovery.discover(issuer: "https://id.example/t", using: transport)
        #expect(metadata.tokenEndpoint?.path == "/b")
    }

    @Test(
        "the RFC 8414 document is found between host and path, and below the issuer like the other one",
        arguments: [
            ("https://id.example/t", "https://id.example/.well-known/oauth-authorization-server/t"),
            ("https://id.example/t", "https://id.example/t/.well-known/oauth-authorization-server"),
            ("https://id.example/t/", "https://id.example/t/.well-known/oauth-authorization-server"),
            ("https://id.example", "https://id.example/.well-known/oauth-authorization-server"),
        ])
    func authorizationServerPlaces(issuer: String, address: String) async throws {
        let transport = TableTransport(bodies: [
            address: #"{"issuer":"\#(issuer)","token_endpoint":"https://id.example/b"}"#
        ])
        let metadata = try await Discovery.discover(issuer: issuer, using: transport)
        #expect(metadata.tokenEndpoint?.path == "/b")
    }

    @Test("a wrong issuer in the first document is final, whatever the second one says")
    func noWayRoundTheIssuer() async throws {
        let transport = TableTransport(bodies: [
            "https://id.example/.well-known/openid-configuration": #"{"issuer":"https://evil.example"}"#,
            "https://id.example/.well-known/oauth-authorization-server": #"{"issuer":"https://id.example"}"#,
        ])
        await #expect(
            throws: OAuthError.invalidMetadata(
                .issuerMismatch(expected: "https://id.example", received: "https://evil.example"))
        ) { try await Discovery.discover(issuer: "https://id.example", using: transport) }
    }

    private func metadata(
        _ document: String, issuer: String = "https://id.example"
    ) throws -> AuthorizationServerMetadata {
        let (data, response) = try httpResponse(document)
        return try Discovery.metadata(from: data, response, issuer: issuer)
    }
}
