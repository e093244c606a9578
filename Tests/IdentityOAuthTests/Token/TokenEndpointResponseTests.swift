import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@Suite("Token response (RFC 6749 section 5)")
struct TokenEndpointResponseTests {
    @Test("RFC 6749 section 5.1: a full response, unknown members kept")
    func success() throws {
        let response = try read(
            """
            {"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","id_token":"i",
             "scope":"profile openid","not_before":7}
            """)
        #expect(response.accessToken == "a")
        #expect(response.tokenType == .bearer)
        #expect(response.expiresIn == .seconds(3600))
        #expect(response.refreshToken == "r")
        #expect(response.idToken == "i")
        #expect(response.scopes == ["profile", "openid"])
        #expect(response.additionalMembers == ["not_before": 7])
        let now = Date(timeIntervalSince1970: 1_000)
        #expect(response.expiresAt(sentAt: now) == now + 3600)
        #expect(response.faults == [])
    }

    @Test("a token is not used after its own end: its lifetime counts from the request, in whole seconds")
    func shortLifetime() throws {
        for (seconds, end) in [(1, 1_001), (2, 1_002)] {
            let response = try read(#"{"access_token":"a","token_type":"Bearer","expires_in":\#(seconds)}"#)
            let sentAt = Date(timeIntervalSince1970: 1_000.9)
            #expect(response.expiresAt(sentAt: sentAt) == Date(timeIntervalSince1970: TimeInterval(end)))
        }
    }

    @Test(
        "RFC 6749 section 5.1: token_type is compared without case",
        arguments: ["bearer", "BEARER", "Bearer", "bEARER"])
    func tokenTypeCase(type: String) throws {
        #expect(try read(#"{"access_token":"a","token_type":"\#(type)"}"#).tokenType == .bearer)
    }

    @Test("RFC 6749 section 7.1: a token of an unknown type is not used")
    func unknownTokenType() {
        expectFailure("answer_unsupported_token_type") { try read(#"{"access_token":"a","token_type":"mac"}"#) }
    }

    @Test("RFC 8693 section 2.2.1: a token exchange may issue something that is no access token")
    func notApplicable() throws {
        let body =
            #"{"access_token":"a","token_type":"N_A","issued_token_type":"urn:ietf:params:oauth:token-type:jwt"}"#
        let response = try read(body, grant: .tokenExchange(subjectToken: "s", subjectTokenType: .jwt))
        #expect(response.issuedTokenType == .jwt)
        expectFailure("answer_unsupported_token_type") { try read(body) }
    }

    @Test(
        "RFC 6749 appendix A: a value that would end the line of a header is refused",
        arguments: ["access_token", "refresh_token", "id_token", "scope", "issued_token_type"],
        ["a\\r\\nX-Injected: 1", "a\\n", "a\\u0000", "a\\u007f", "\\u00e5", "a\\tb"])
    func hostileText(member: String, text: String) {
        let members = ["access_token": "a", "token_type": "Bearer"].merging([member: text]) { $1 }
        let body = "{" + members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
        let failure = #expect(throws: OAuthError.self) { try read(body) }
        guard case .invalidResponse(.invalidMember(member), _) = failure else {
            Issue.record("\(body): \(failure as Any)")
            return
        }
    }

    @Test("RFC 6749 appendix A: all of VSCHAR may be in a token")
    func everyCharacter() throws {
        let text = String(String.UnicodeScalarView((0x20...0x7E).map { Unicode.Scalar($0) }))
        let members: [String: JSONValue] = ["access_token": .string(text), "token_type": "Bearer"]
        let body = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
        #expect(try read(body).accessToken.reveal() == text)
    }

    @Test("RFC 6749 appendix A.7: an error that is no error code does not end a session")
    func hostileError() {
        expectFailure("answer_failed_status") { try read(#"{"error":"invalid_grant\r\nx"}"#, status: 400) }
    }

    @Test(
        "RFC 6749 section 5.1: a response without scope means what was asked for",
        arguments: [
            ("", ["a", "b"]), (#","scope":"b""#, ["b"]), (#","scope":"b a""#, ["b", "a"]),
            (#","scope":"a  c ""#, ["a", "c"]), (#","scope":"""#, ["a", "b"]), (#","scope":null"#, ["a", "b"]),
        ])
    func scope(member: String, scopes: [String]) throws {
        let body = #"{"access_token":"a","token_type":"Bearer"\#(member)}"#
        #expect(try read(body, grant: .clientCredentials(scopes: ["a", "b"])).scopes == scopes)
    }

    @Test("RFC 6749 section 6: a refresh without scope leaves the scopes and the refresh token as they were")
    func refresh() throws {
        let response = try read(#"{"access_token":"a","token_type":"Bearer"}"#, grant: .refreshToken("r"))
        #expect(response.scopes == nil)
        #expect(response.refreshToken == nil)
    }

    @Test(
        "RFC 6749 section 5.1: expires_in missing or absurd is not worth losing a rotated token for",
        arguments: [
            ("", nil), (#","expires_in":60"#, .seconds(60)), (#","expires_in":60.9"#, .seconds(60)),
            (#","expires_in":"3599""#, .seconds(3599)), (#","expires_in":0"#, nil), (#","expires_in":-1"#, nil),
            (#","expires_in":null"#, nil), (#","expires_in":"soon""#, nil), (#","expires_in":true"#, nil),
            (#","expires_in":99999999999999"#, nil), (#","expires_in":1e300"#, nil), (#","expires_in":"nan""#, nil),
            (#","expires_in":"inf""#, nil), (#","expires_in":34560000"#, .seconds(34_560_000)),
            (#","expires_in":34560001"#, nil),
        ] as [(String, Duration?)])
    func lifetime(member: String, expected: Duration?) throws {
        let body = #"{"access_token":"a","token_type":"Bearer","refresh_token":"r"\#(member)}"#
        #expect(try read(body).expiresIn == expected)
    }

    @Test(
        "Other names of the lifetime: a time by the server's clock, or seconds; more than 400 days says nothing",
        arguments: [
            (#""expires_at":784113577"#, 1800), (#""expires_at":"784113577""#, 1800),
            (#""expires_on":"784113577""#, 1800), (#""expires":784113577"#, 1800), (#""expires":1800"#, 1800),
            (#""expires":34560000"#, 34_560_000), (#""expiresAt":784113577"#, 1800), (#""expiresIn":"1800""#, 1800),
            (#""expires_in":60,"expires_at":784113577"#, 60), (#""expires_in":"soon","expires_at":784113577"#, 1800),
            (#""expires_at":1800"#, nil), (#""expires_at":784111177"#, nil), (#""expires_at":784113577000"#, nil),
            (#""expires_at":818671778"#, nil), (#""expires_at":"1994-11-06T09:19:37Z""#, nil),
            (#""expires_in":784113577"#, nil), (#""expires_at":1e300"#, nil),
        ] as [(String, Int?)])
    func otherLifetimes(members: String, expected: Int?) throws {
        let body = #"{"access_token":"a","token_type":"Bearer",\#(members)}"#
        let date = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        // By a clock that is an hour ahead.
        let sentAt = Date(timeIntervalSince1970: 784_111_777 + 3600)
        let response = try read(body, headers: date)
        #expect(response.expiresIn == expected.map { .seconds($0) })
        #expect(response.expiresAt(sentAt: sentAt) == expected.map { sentAt + TimeInterval($0) })
        #expect(response.additionalMembers.isEmpty)
    }

    @Test("A time without the server's own clock beside it is one by this machine's")
    func timeWithoutDate() throws {
        let response = try read(#"{"access_token":"a","token_type":"Bearer","expires_at":784113577}"#)
        let end = Date(timeIntervalSince1970: 784_113_577)
        #expect(response.expiresAt(sentAt: end - 1800) == end)
        #expect(response.expiresAt(sentAt: end) == nil && response.expiresAt(sentAt: end - 401 * 86_400) == nil)
    }

    @Test("Members like accessToken are those of the RFC, whose own names count where both are there")
    func camelCase() throws {
        let response = try read(
            """
            {"accessToken":"a","tokenType":"Bearer","refreshToken":"r","refreshTokenExpiresIn":60,"idToken":"i",
             "issuedTokenType":"urn:x"}
            """)
        #expect(response.accessToken == "a" && response.tokenType == .bearer && response.refreshToken == "r")
        #expect(response.refreshTokenExpiresIn == .seconds(60) && response.idToken == "i")
        #expect(response.issuedTokenType == "urn:x" && response.additionalMembers.isEmpty)
        let both = try read(#"{"accessToken":"b","access_token":"a","token_type":"Bearer"}"#)
        #expect(both.accessToken == "a" && both.additionalMembers.isEmpty)
        expectFailure("answer_unsupported_token_type") { try read(#"{"accessToken":"a","tokenType":"mac"}"#) }
        expectFailure("answer_invalid_member") { try read(#"{"accessToken":"a\n","tokenType":"Bearer"}"#) }
    }

    @Test(
        "A token in another place is not guessed: the error is definitive, and names the setting that reads it",
        arguments: [
            (#"{"data":{"access_token":"a","token_type":"Bearer"}}"#, "data", nil),
            (#"{"token":"a","token_type":"Bearer"}"#, nil, "token"),
            (#"{"ok":true,"result":{"session":{"jwt":"a","token_type":"Bearer"}}}"#, "result.session", "jwt"),
        ] as [(String, String?, String?)])
    func elsewhere(body: String, path: String?, name: String?) throws {
        for grant in [nil, try TokenGrant.refreshToken("r")] {
            let failure = #expect(throws: OAuthError.self) { try read(body, grant: grant) }
            #expect(failure?.failureCode == "answer_token_elsewhere" && failure?.failureClass == .definitive)
            let message = failure?.message ?? ""
            #expect(message.contains("memberPath to \"\(path ?? "")\"") == (path != nil), "\(message)")
            #expect(message.contains("access_token the name \"\(name ?? "")\"") == (name != nil), "\(message)")
        }
        var format = TokenResponseFormat()
        format.memberPath = path
        format.names = name.map { ["access_token": $0] } ?? [:]
        #expect(try read(body, format: format).accessToken == "a")
    }

    @Test("A response without a token type is definitive, and names the setting that reads it")
    func noTokenType() throws {
        let failure = #expect(throws: OAuthError.self) { try read(#"{"access_token":"a"}"#) }
        #expect(failure?.failureCode == "answer_missing_member" && failure?.failureClass == .definitive)
        #expect(failure?.message.contains("tokenResponse.assumesBearer") == true)
    }

    @Test(
        "A form is read under its own name and as plain text, and under no other",
        arguments: ["application/x-www-form-urlencoded", "text/plain; charset=utf-8", "text/html", "application/json"])
    func form(contentType: String) throws {
        let body = "access_token=a&token_type=bearer&expires_in=60&scope=b+c"
        guard !["text/html", "application/json"].contains(contentType) else {
            expectFailure(contentType == "text/html" ? "answer_error_page" : "answer_malformed_json") {
                try read(body, contentType: contentType)
            }
            return
        }
        let response = try read(body, contentType: contentType)
        #expect(response.accessToken == "a" && response.expiresIn == .seconds(60))
        #expect(response.scopes == ["b", "c"])
        expectFailure("invalid_grant") { try read("error=invalid_grant", contentType: contentType) }
        expectFailure("answer_duplicate_member") { try read("access_token=a&access_token=b", contentType: contentType) }
        expectFailure("answer_wrong_content_type") { try read("access_token=%zz", contentType: contentType) }
        expectFailure("answer_wrong_content_type") { try read("Welcome", contentType: contentType) }
    }

    @Test(
        "RFC 6749 section 5.1: a response that is not what the RFC says is unusable, and ends nothing",
        arguments: [
            (200, "application/json", "", "answer_malformed_json"),
            (200, "application/json", "[]", "answer_malformed_json"),
            (200, "application/json", #"{"access_token":"a""#, "answer_malformed_json"),
            (200, "application/json", "{}", "answer_missing_member"),
            (200, "application/json", #"{"token_type":"Bearer"}"#, "answer_missing_member"),
            (200, "application/json", #"{"access_token":"","token_type":"Bearer"}"#, "answer_missing_member"),
            (200, "application/json", #"{"access_token":1,"token_type":"Bearer"}"#, "answer_invalid_member"),
            (
                200, "application/json", #"{"access_token":"a","token_type":"Bearer","scope":["a"]}"#,
                "answer_invalid_member"
            ),
            (
                200, "application/json", #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#,
                "answer_duplicate_member"
            ),
            (200, "text/html; charset=utf-8", "<html></html>", "answer_error_page"),
            (200, "text/plain", "<html>access_token=a</html>", "answer_wrong_content_type"),
            (200, nil, "access_token=a&token_type=bearer", "answer_wrong_content_type"),
            (204, nil, "", "answer_unexpected_status"),
            (302, nil, "", "answer_redirected"),
            (307, "application/json", #"{"error":"invalid_grant"}"#, "answer_redirected"),
            (400, nil, "", "answer_failed_status"),
            (400, "text/html", "<html>invalid_grant</html>", "answer_error_page"),
            (400, "application/json", #"{"error":7}"#, "answer_failed_status"),
            (401, nil, "", "answer_failed_status"),
            (404, "text/plain", "404 page not found", "answer_failed_status"),
            (502, "text/html", "<html>Bad Gateway</html>", "answer_error_page"),
            (502, "text/plain", " <html>Bad Gateway</html>", "answer_error_page"),
        ] as [(Int, String?, String, String)])
    func unusable(status: Int, contentType: String?, body: String, code: String) throws {
        let failure = #expect(throws: OAuthError.self) { try read(body, status: status, contentType: contentType) }
        #expect(failure?.failureCode == code)
        #expect(failure?.failureClass == .transient)
    }

    @Test(
        "RFC 6749 section 5.1: neither the content type of JSON matters, nor which success it is",
        arguments: ["Application/JSON;charset=UTF-8", "text/html", "text/plain", "text/javascript", nil],
        [200, 201, 202])
    func contentType(type: String?, status: Int) throws {
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        #expect(try read(body, status: status, contentType: type).accessToken == "a")
        #expect(try read("\u{FEFF}" + body, status: status, contentType: type).accessToken == "a")
    }

    @Test("a response of ten megabytes is refused")
    func size() {
        let body = #"{"access_token":"\#(String(repeating: "a", count: 10_000_000))","token_type":"Bearer"}"#
        expectFailure("answer_too_large") { try read(body) }
        expectFailure("answer_too_large") { try read(body, status: 400) }
    }

    @Test(
        "RFC 6749 section 5.2: which refusals are final",
        arguments: [
            (400, "invalid_grant", FailureClass.definitive), (401, "invalid_client", .definitive),
            (400, "invalid_scope", .definitive), (400, "access_denied", .definitive),
            (400, "invalid_redirect_uri", .definitive), (400, "invalid_client_metadata", .definitive),
            (400, "expired_token", .definitive), (400, "authorization_pending", .transient),
            (400, "slow_down", .transient), (400, "temporarily_unavailable", .transient),
            (400, "server_error", .transient), (503, "invalid_grant", .transient), (429, "invalid_grant", .transient),
            (400, "a_code_of_tomorrow", .transient),
        ])
    func refusals(status: Int, error: String, failureClass: FailureClass) throws {
        let failure = #expect(throws: OAuthError.self) {
            try read(#"{"error":"\#(error)","error_description":"d"}"#, status: status)
        }
        #expect(failure?.failureCode == error)
        #expect(failure?.failureClass == failureClass)
        guard case .refused(let response) = failure else {
            Issue.record("not a refusal")
            return
        }
        #expect(response.status == status)
        #expect(response.errorDescription == "d")
    }

    @Test("a refusal counts whatever its content type, and also with status 200")
    func tolerantRefusals() {
        let body = #"{"error":"invalid_grant"}"#
        expectFailure("invalid_grant") { try read(body, status: 400, contentType: nil) }
        expectFailure("invalid_grant") { try read(body, status: 400, contentType: "text/plain") }
        expectFailure("invalid_grant") { try read(body, status: 200) }
        for absent in ["null", "\"\""] {
            expectFailure("invalid_grant") { try read(#"{"access_token":\#(absent),"error":"invalid_grant"}"#) }
        }
    }

    @Test("RFC 9110 section 10.2.3: Retry-After is kept")
    func retryAfter() throws {
        let failure = #expect(throws: OAuthError.self) {
            try read(#"{"error":"slow_down"}"#, status: 429, headers: ["Retry-After": "17"])
        }
        guard case .refused(let response) = failure else {
            Issue.record("not a refusal")
            return
        }
        #expect(response.retryAfter == .seconds(17))
    }

    @Test(
        "RFC 9110 section 10.2.3: Retry-After has seconds, or a date by the server's own clock; an hour at most",
        arguments: [
            (429, "17", Duration.seconds(17)), (429, "0", .zero), (429, "86400", .seconds(3600)),
            (429, "99999999999999999999", .seconds(3600)), (429, nil, nil), (429, "-1", nil), (429, "soon", nil),
            (429, "Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)), (429, "Sun, 06 Nov 1994 08:00:00 GMT", .zero),
            (429, "Mon, 07 Nov 1994 08:49:37 GMT", .seconds(3600)), (408, nil, nil), (425, nil, nil),
            (503, "5", .seconds(5)),
        ] as [(Int, String?, Duration?)])
    func asksToWait(status: Int, header: String?, duration: Duration?) throws {
        var headers = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        headers["Retry-After"] = header
        for (body, type) in [("", "text/plain"), ("<html></html>", "text/html"), ("{}", "application/json")] {
            let failure = #expect(throws: OAuthError.self) {
                try read(body, status: status, contentType: type, headers: headers)
            }
            #expect(failure == .invalidResponse(.asksToWait(status, duration), host: "id.example"))
            #expect(failure?.failureCode == "answer_asks_to_wait" && failure?.failureClass == .transient)
            #expect(failure?.message.contains("the server asked to wait") == true)
        }
        let refusal = #expect(throws: OAuthError.self) {
            try read(#"{"error":"too_many"}"#, status: status, headers: headers)
        }
        #expect(refusal?.message.hasPrefix("The server asked to wait") == true)
    }

    @Test("without Date, a date in Retry-After says nothing, and 503 without it is a failing server")
    func unknownWait() {
        let date = ["Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"]
        expectFailure("answer_asks_to_wait") { try read("", status: 429, headers: date) }
        expectFailure("answer_failed_status") { try read("", status: 503, headers: date) }
    }

    @Test("an error code that is no code is not repeated in a message")
    func hostileCode() throws {
        let failure = #expect(throws: OAuthError.self) {
            try read(#"{"error":"token=planted secret","error_description":"refresh_token=planted"}"#, status: 400)
        }
        #expect(failure?.failureCode == "unreadable_error")
        #expect(failure.map { !"\($0) \($0.localizedDescription)".contains("planted") } == true)
    }

    @Test("nothing that prints a response prints its tokens")
    func redaction() throws {
        let response = try read(
            #"{"access_token":"planted","token_type":"Bearer","refresh_token":"planted","id_token":"planted"}"#)
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!"\(response) \(dumped)".contains("planted"))
    }

    private func read(
        _ body: String, status: Int = 200, contentType: String? = "application/json", headers: [String: String] = [:],
        grant: TokenGrant? = nil, format: TokenResponseFormat = TokenResponseFormat()
    ) throws -> TokenEndpointResponse {
        let (data, response) = try httpResponse(body, status: status, contentType: contentType, headers: headers)
        let request = TokenRequest(
            try grant ?? TokenGrant(.authorizationCode, fields: []),
            tokenEndpoint: try .known("https://id.example/token"), client: OAuthClient(id: "app"),
            responseFormat: format)
        return try request.response(from: data, response)
    }
}
