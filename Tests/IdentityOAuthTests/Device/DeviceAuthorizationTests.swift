import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@Suite("Device authorization (RFC 8628 sections 3.1 and 3.2)")
struct DeviceAuthorizationTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func read(_ body: String, status: Int = 200) throws -> DeviceAuthorization {
        let (data, response) = try httpResponse(body, status: status)
        return try makeRequest().response(from: data, response, receivedAt: now)
    }

    private func makeRequest() throws -> DeviceAuthorizationRequest {
        DeviceAuthorizationRequest(
            deviceAuthorizationEndpoint: try .known("https://id.example/device"), client: OAuthClient(id: "app"),
            scopes: ["openid", "profile"])
    }

    private func body(_ changes: [String: JSONValue]) throws -> String {
        let base: [String: JSONValue] = [
            "device_code": "GmRh", "user_code": "WDJB-MJHT", "verification_uri": "https://id.example/device",
            "expires_in": 1800,
        ]
        let members = base.merging(changes) { $1 }.filter { $0.value != .null }
        return String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
    }

    @Test("section 3.1: the request")
    func request() throws {
        #expect(
            try formFields(makeRequest().urlRequest()) == [
                FormField("scope", "openid profile"), FormField("client_id", "app"),
            ])
        var request = try makeRequest()
        request.extraParameters = [FormField("client_id", "x")]
        #expect(throws: OAuthError.invalidSetting(.reservedParameter("client_id"))) { try request.urlRequest() }
    }

    @Test("section 3.2: a full response, and what is missing from a short one")
    func success() throws {
        let full = try read(
            body([
                "verification_uri_complete": "https://id.example/device?user_code=WDJB-MJHT", "interval": 7,
            ]))
        #expect(full.deviceCode == "GmRh")
        #expect(full.userCode == "WDJB-MJHT")
        #expect(full.verificationURIComplete?.query == "user_code=WDJB-MJHT")
        #expect(full.expiresAt == now + 1800)
        #expect(full.interval == 7)
        #expect(full.scopes == ["openid", "profile"])
        let short = try read(body([:]))
        #expect(short.interval == 5)
        #expect(short.verificationURIComplete == nil)
        #expect(try read(body(["interval": 0])).interval == 1)
        #expect(try read(body(["expires_in": 1e18])).expiresAt == now + 86_400)
        // Some servers write numbers as texts.
        let texts = try read(body(["expires_in": "1800", "interval": "7"]))
        #expect(texts.expiresAt == now + 1800)
        #expect(texts.interval == 7)
        let draft = try read(body(["verification_uri": .null, "verification_url": "https://id.example/d"]))
        #expect(draft.verificationURI.path == "/d")
    }

    @Test(
        "section 3.2: anything else is refused",
        arguments: [
            (["device_code": .null], "answer_missing_member"), (["user_code": ""], "answer_missing_member"),
            (["verification_uri": .null], "answer_missing_member"), (["expires_in": .null], "answer_missing_member"),
            (["expires_in": 0], "answer_invalid_member"), (["interval": "soon"], "answer_invalid_member"),
            (["expires_in": "soon"], "answer_invalid_member"), (["expires_in": "-1"], "answer_invalid_member"),
            (["interval": -1], "answer_invalid_member"), (["interval": 1e9], "answer_invalid_member"),
            (["verification_uri": "javascript:alert(1)"], "answer_invalid_member"),
            (["verification_uri": "http://id.example/device"], "answer_invalid_member"),
            // A terminal would take the second for a command.
            (["device_code": "a\r\nb"], "answer_invalid_member"), (["user_code": "\u{1B}[2J"], "answer_invalid_member"),
        ] as [([String: JSONValue], String)])
    func refused(changes: [String: JSONValue], code: String) throws {
        let body = try body(changes)
        expectFailure(code) { try read(body) }
    }

    @Test(
        "section 3.3.1: a complete address that nobody can open is left out, and the code is still good",
        arguments: ["tel:123", "http://id.example/device?user_code=U", "javascript:alert(1)", "", 7, [:]] as [JSONValue]
    )
    func unusableCompleteAddress(value: JSONValue) throws {
        let authorization = try read(body(["verification_uri_complete": value]))
        #expect(authorization.verificationURIComplete == nil)
        #expect(authorization.userCode == "WDJB-MJHT")
    }

    @Test("a stored authorization survives a restart, and never prints its code")
    func coding() throws {
        let authorization = try read(body(["device_code": "planted"]))
        let copy = try JSONDecoder().decode(DeviceAuthorization.self, from: JSONEncoder().encode(authorization))
        #expect(copy == authorization)
        #expect(!"\(authorization)".contains("planted"))
    }
}
