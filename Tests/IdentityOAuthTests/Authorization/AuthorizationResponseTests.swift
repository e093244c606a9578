import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@Suite("Authorization response (RFC 6749 section 4.1.2)")
struct AuthorizationResponseTests {
    @Test("RFC 6749 section 4.1.2: a right response gives its code")
    func success() throws {
        let flow = try makeFlow()
        #expect(try code("myapp://callback?code=SplxlOBe&state=\(flow.state)", flow) == "SplxlOBe")
    }

    @Test("extra parameters are ignored and stay readable")
    func extraParameters() throws {
        let flow = try makeFlow()
        let response = try AuthorizationResponse(
            callbackURL: .known("myapp://callback?session_state=x%2Fy&code=c&scope=a+b&state=\(flow.state)&authuser=0"))
        #expect(try response.authorizationCode(for: flow, at: flow.createdAt).reveal() == "c")
        #expect(response["session_state"] == "x/y")
        #expect(response["scope"] == "a b")
    }

    @Test(
        "percent-encoding and + are decoded once",
        arguments: [("a%2Bb", "a+b"), ("a+b", "a b"), ("%7E", "~"), ("4%2F0A", "4/0A"), ("a%2525", "a%25")])
    func decoding(encoded: String, decoded: String) throws {
        let flow = try makeFlow()
        #expect(try code("myapp://callback?code=\(encoded)&state=\(flow.state)", flow) == decoded)
    }

    @Test(
        "RFC 6749 appendix A.11: a code that no token request can carry as it is is refused",
        arguments: ["%E4%BD%A0", "a%0D%0AX-Injected%3A+1", "a%0A", "a%00", "%7F"])
    func hostileCode(encoded: String) throws {
        let flow = try makeFlow()
        #expect(throws: OAuthError.invalidCallback(.malformed)) {
            try code("myapp://callback?code=\(encoded)&state=\(flow.state)", flow)
        }
    }

    @Test(
        "RFC 9700 section 2.1, RFC 3986 section 6.2: what counts as the redirect URI of the flow",
        .guards("redirect URI", "mix-up by redirect URI"),
        arguments: [
            ("https://app.example/cb", "https://app.example/cb", true),
            ("https://app.example/cb", "HTTPS://APP.Example:443/cb", true),
            ("https://app.example/c%62", "https://app.example/cb", true),
            ("https://app.example/a%2fb", "https://app.example/a%2Fb", true),
            ("https://app.example", "https://app.example/", true),
            ("https://bücher.example/cb", "https://xn--bcher-kva.example/cb", true),
            ("com.example.app:/cb", "COM.example.app:/cb", true),
            ("myapp://callback", "myapp://callback/", true),
            ("myapp:", "myapp://", true), ("myapp://", "myapp:", true), ("myapp:/cb", "myapp:///cb", true),
            ("myapp:", "myapp://cb", false), ("myapp:", "other:", false),
            ("http://127.0.0.1:51004/cb", "http://127.0.0.1:51004/cb", true),
            ("https://app.example/cb?tenant=1", "https://app.example/cb?tenant=1", true),
            ("https://app.example/cb", "http://app.example/cb", false),
            ("https://app.example/cb", "https://app.example:8443/cb", false),
            ("https://app.example/cb", "https://evil.example/cb", false),
            ("https://app.example/cb", "https://app.example.evil/cb", false),
            ("https://app.example/cb", "https://app.example/CB", false),
            ("https://app.example/cb", "https://app.example/cb/", false),
            ("https://app.example/cb", "https://app.example/x/../cb", false),
            ("https://app.example/a%2Fb", "https://app.example/a/b", false),
            ("http://127.0.0.1:51004/cb", "http://127.0.0.1:51005/cb", false),
            ("http://127.0.0.1:51004/cb", "http://localhost:51004/cb", false),
            ("com.example.app:/cb", "com.example.app:/other", false),
            ("com.example.app:/cb", "com.example.app://cb", false),
            ("https://app.example/cb?tenant=1", "https://app.example/cb?tenant=2", false),
            ("https://app.example/cb?tenant=1", "https://app.example/cb", false),
        ])
    func redirect(registered: String, received: String, matches: Bool) throws {
        let flow = try makeFlow(redirectURI: registered)
        let separator = received.contains("?") ? "&" : "?"
        let result = Result { try code("\(received)\(separator)code=c&state=\(flow.state)", flow) }
        if matches {
            #expect(try result.get() == "c")
        } else {
            #expect(throws: OAuthError.invalidCallback(.redirectMismatch)) { try result.get() }
        }
    }

    @Test("a URL that names a user is refused, for any user", .guards("redirect URI"))
    func userInfo() throws {
        let flow = try makeFlow(redirectURI: "https://app.example/cb")
        for address in ["https://app.example@evil.example/cb", "https://u:p@app.example/cb"] {
            #expect(throws: OAuthError.invalidCallback(.containsUserInfo)) {
                try code("\(address)?code=c&state=\(flow.state)", flow)
            }
        }
    }

    @Test(
        "RFC 6749 section 3.1: a repeated parameter is refused",
        arguments: ["code=a&code=b", "code=a&state=STATE&state=STATE", "iss=x&iss=x&code=a", "c%6Fde=a&code=a"])
    func repetition(query: String) throws {
        let flow = try makeFlow()
        let expanded = query.replacingOccurrences(of: "STATE", with: flow.state)
        expectFailure("callback_repeated_parameter") { try code("myapp://callback?\(expanded)", flow) }
    }

    @Test("RFC 6749 section 10.12: state must be there and must be the flow's", .guards("state"))
    func state() throws {
        let flow = try makeFlow()
        #expect(throws: OAuthError.invalidCallback(.stateMissing)) { try code("myapp://callback?code=c", flow) }
        #expect(throws: OAuthError.invalidCallback(.stateMissing)) { try code("myapp://callback?code=c&state=", flow) }
        for wrong in ["x", flow.state + "x", flow.state.lowercased(), String(flow.state.dropLast())] {
            #expect(throws: OAuthError.invalidCallback(.stateMismatch)) {
                try code("myapp://callback?code=c&state=\(wrong)", flow)
            }
        }
    }

    @Test("a response that no flow waits for is refused, also an error")
    func unknownFlow() throws {
        let response = try AuthorizationResponse(callbackURL: .known("myapp://callback?error=access_denied&state=x"))
        #expect(response.state == "x")
        #expect(throws: OAuthError.invalidCallback(.unknownFlow)) {
            try response.authorizationCode(for: nil, at: Date())
        }
    }

    @Test("a response at the end of the flow's life is too late")
    func expiry() throws {
        let flow = try makeFlow()
        let response = try AuthorizationResponse(callbackURL: .known("myapp://callback?code=c&state=\(flow.state)"))
        #expect(try response.authorizationCode(for: flow, at: flow.expiresAt - 1).reveal() == "c")
        #expect(throws: OAuthError.invalidCallback(.flowExpired)) {
            try response.authorizationCode(for: flow, at: flow.expiresAt)
        }
    }

    @Test(
        "RFC 9207 section 2.4: iss must be right when it is there, and be there when it was promised",
        .guards("mix-up by issuer"),
        arguments: [
            (true, "iss=https%3A%2F%2Fid.example", nil), (false, "iss=https%3A%2F%2Fid.example", nil),
            (false, "x=1", nil), (true, "x=1", "callback_issuer_missing"),
            (true, "iss=", "callback_issuer_missing"),
            (true, "iss=https%3A%2F%2Fid.example%2F", "callback_issuer_mismatch"),
            (false, "iss=https%3A%2F%2Fevil.example", "callback_issuer_mismatch"),
            (false, "iss=HTTPS%3A%2F%2Fid.example", "callback_issuer_mismatch"),
        ] as [(Bool, String, String?)])
    func issuer(isPromised: Bool, parameter: String, failure: String?) throws {
        let flow = try makeFlow(requiresIssuer: isPromised)
        let callback = "myapp://callback?code=c&state=\(flow.state)&\(parameter)"
        if let failure {
            expectFailure(failure) { try code(callback, flow) }
        } else {
            #expect(try code(callback, flow) == "c")
        }
    }

    @Test("RFC 9207 section 2.4: of two spellings of an issuer, the metadata's is the right one", arguments: ["", "/"])
    func spelling(end: String) throws {
        let flow = try makeFlow(issuer: "https://id.example" + end, requiresIssuer: true)
        let callback = "myapp://callback?code=c&state=\(flow.state)&iss=https%3A%2F%2Fid.example"
        #expect(try code(callback + end, flow) == "c")
        expectFailure("callback_issuer_mismatch") { try code(callback + (end.isEmpty ? "/" : ""), flow) }
    }

    @Test("a server without an issuer identifier is not held to one")
    func noIssuer() throws {
        let flow = try makeFlow(issuer: nil)
        #expect(try code("myapp://callback?code=c&state=\(flow.state)&iss=anything", flow) == "c")
    }

    @Test("RFC 6749 section 4.1.2.1: an error is surfaced as the server's")
    func refusal() throws {
        let flow = try makeFlow()
        let query = "error=access_denied&error_description=No+way&error_uri=https%3A%2F%2Fe&state=\(flow.state)"
        let failure = #expect(throws: OAuthError.self) { try code("myapp://callback?\(query)", flow) }
        #expect(
            failure
                == .refused(
                    ErrorResponse(error: .accessDenied, errorDescription: "No way", errorURI: "https://e")))
        #expect(failure?.failureCode == "access_denied")
        #expect(failure?.failureClass == .definitive)
    }

    @Test(
        "RFC 9207 section 2.4: an error without the promised iss is still an error; with a wrong one it is an attack",
        .guards("mix-up by issuer"))
    func refusalWithoutIssuer() throws {
        let flow = try makeFlow(requiresIssuer: true)
        let callback = "myapp://callback?error=access_denied&state=\(flow.state)"
        expectFailure("access_denied") { try code(callback, flow) }
        expectFailure("callback_issuer_mismatch") { try code(callback + "&iss=https%3A%2F%2Fevil.example", flow) }
        #expect(try flow.isAnswered(by: .known(callback)))
        #expect(try flow.isAnswered(by: .known(callback + "&iss=https%3A%2F%2Fid.example")))
        #expect(try !flow.isAnswered(by: .known(callback + "&iss=https%3A%2F%2Fevil.example")))
    }

    @Test(
        "RFC 6749 section 4.1.2.1: an error in the fragment, or with Latin-1 text, is read by the same rules",
        arguments: [
            ("#error=access_denied&error_description=Nein%2C+m%C3%B6chte+nicht&state=STATE", "access_denied"),
            ("?error=access_denied&error_description=Nein%2C+m%F6chte+nicht&state=STATE", "access_denied"),
            ("?tenant=1#error=access_denied&error_description=Nein,+m%F6chte+nicht&state=STATE", "access_denied"),
            ("#error=access_denied", "callback_state_missing"),
            ("#error=access_denied&state=x", "callback_state_mismatch"),
            ("#error=access_denied&state=STATE&iss=https%3A%2F%2Fevil.example", "callback_issuer_mismatch"),
            ("#error=access_denied&error=x&state=STATE", "callback_repeated_parameter"),
            ("?error=access_denied&state=%F6", "callback_malformed"), ("?error=%F6&state=STATE", "callback_malformed"),
            ("#error=access_denied&code=c&state=STATE", "callback_parameters_in_fragment"),
            ("?state=STATE#error=access_denied", "callback_parameters_in_fragment"),
            ("#error=access_denied&access_token=t&state=STATE", "callback_contains_token"),
        ])
    func unusualErrors(suffix: String, failure: String) throws {
        let flow = try makeFlow()
        let callback = "myapp://callback" + suffix.replacingOccurrences(of: "STATE", with: flow.state)
        let error = #expect(throws: OAuthError.self) { try code(callback, flow) }
        #expect(error?.failureCode == failure)
        if ["access_denied", "callback_issuer_mismatch"].contains(failure) {
            #expect(try flow.isAnswered(by: .known(callback)) == (failure == "access_denied"))
        }
        if case .refused(let refusal) = error { #expect(refusal.errorDescription == "Nein, möchte nicht") }
    }

    @Test("an error beside a code is an error")
    func errorAndCode() throws {
        let flow = try makeFlow()
        expectFailure("server_error") {
            try code("myapp://callback?code=c&error=server_error&state=\(flow.state)", flow)
        }
    }

    @Test("a response with neither code nor error is refused", arguments: ["", "code=&"])
    func codeMissing(query: String) throws {
        let flow = try makeFlow()
        #expect(throws: OAuthError.invalidCallback(.codeMissing)) {
            try code("myapp://callback?\(query)state=\(flow.state)", flow)
        }
    }

    @Test(
        "RFC 9700 section 2.1.2: a token in the URL is refused", .guards("implicit grant"),
        arguments: ["?access_token=t&", "?id_token=t&", "#access_token=t&", "?x=1#id_token=t&", "?refresh_token=t&"])
    func tokens(suffix: String) throws {
        let flow = try makeFlow()
        #expect(throws: OAuthError.invalidCallback(.containsToken)) {
            try code("myapp://callback\(suffix)code=c&state=\(flow.state)", flow)
        }
    }

    @Test("RFC 6749 section 4.1.2: the response is in the query; a meaningless fragment is ignored")
    func fragments() throws {
        let flow = try makeFlow()
        #expect(throws: OAuthError.invalidCallback(.parametersInFragment)) {
            try code("myapp://callback#code=c&state=\(flow.state)", flow)
        }
        for fragment in ["#", "#_=_", "#%zz"] {
            #expect(try code("myapp://callback?code=c&state=\(flow.state)\(fragment)", flow) == "c")
        }
    }

    @Test("a query that cannot be decoded is refused")
    func malformed() throws {
        #expect(throws: OAuthError.invalidCallback(.malformed)) {
            try AuthorizationResponse(callbackURL: .known("myapp://callback?code=%FF&state=x"))
        }
    }

    @Test("Form Post Response Mode: the response is in the body, the address still counts")
    func formPost() throws {
        let flow = try makeFlow(redirectURI: "http://127.0.0.1:51004/cb")
        func post(_ body: String, to address: String = "http://127.0.0.1:51004/cb") throws -> String {
            try AuthorizationResponse(formPost: Data(body.utf8), receivedAt: .known(address))
                .authorizationCode(for: flow, at: flow.createdAt).reveal()
        }
        #expect(try post("code=a%2Bb&state=\(flow.state)") == "a+b")
        expectFailure("callback_redirect_mismatch") {
            try post("code=c&state=\(flow.state)", to: "http://127.0.0.1:51004/x")
        }
        expectFailure("callback_repeated_parameter") { try post("code=c&code=c&state=\(flow.state)") }
        expectFailure("callback_contains_token") { try post("code=c&access_token=t&state=\(flow.state)") }
        expectFailure("callback_state_missing") { try post("code=c") }
        expectFailure("callback_malformed") { try post("code=%F") }
    }

    @Test("no message or description tells a code, a state or a token")
    func redaction() throws {
        let flow = try makeFlow()
        let callbacks = [
            "myapp://callback?code=planted&state=planted", "myapp://other?code=planted&state=\(flow.state)",
            "myapp://callback?code=planted&code=planted", "myapp://callback?access_token=planted",
            "myapp://callback?error=x&error_description=access_token%3Dplanted&state=\(flow.state)",
        ]
        for callback in callbacks {
            let failure = #expect(throws: OAuthError.self) { try code(callback, flow) }
            #expect(failure.map { !"\($0) \($0.localizedDescription)".contains("planted") } == true)
        }
    }

    private func code(_ callback: String, _ flow: PendingAuthorization) throws -> String {
        try AuthorizationResponse(callbackURL: .known(callback))
            .authorizationCode(for: flow, at: flow.createdAt).reveal()
    }

    private func makeFlow(
        redirectURI: String = "myapp://callback", issuer: String? = "https://id.example", requiresIssuer: Bool = false
    ) throws -> PendingAuthorization {
        try AuthorizationRequest(
            client: OAuthClient(id: "app"), authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known(redirectURI), scopes: ["openid"], issuer: issuer, requiresIssuer: requiresIssuer
        ).pending
    }
}
