import Foundation
import IdentityKit
import IdentityTesting
import Testing

@testable import IdentityLocalServers

@Suite("OpenID Connect server: device flow (RFC 8628)", .stopsServers)
struct OpenIDDeviceFlowTests {
    let clock = ManualClock()
    let client: PlainOpenIDClient
    var server: LocalOpenIDConnectServer { client.server }

    init() async throws { client = try await PlainOpenIDClient.start(clock) { $0.resourceIndicators = .named } }

    @Test("A device waits, is told to slow down, and gets its tokens once (sections 3.4 and 3.5)")
    func approval() async throws {
        let device = try await begin()
        #expect(device.json?["interval"] == 5)
        #expect(try await ask(device).error == "authorization_pending")
        #expect(try await ask(device).error == "slow_down")
        clock.advance(by: .seconds(9))
        #expect(try await ask(device).error == "slow_down")
        clock.advance(by: .seconds(15))
        #expect(try await ask(device).error == "authorization_pending")
        #expect(server.counters.slowDowns == 2)

        try await decide(device, allows: true)
        clock.advance(by: .seconds(15))
        let answer = try await ask(device)
        #expect(answer.status == 200 && answer["scope"] == "openid read")
        #expect(answer["id_token"] != nil)
        #expect(answer["refresh_token"] != nil)
        #expect(try await ask(device).error == "invalid_grant")
    }

    @Test("Who types the code by hand may leave out the dash and the capitals (section 6.1)")
    func typedCode() async throws {
        let device = try await begin()
        let typed = (device["user_code"] ?? "").lowercased().replacingOccurrences(of: "-", with: "")
        let page = try #require(device["verification_uri"].flatMap(URL.init(string:)))
        try await client.login.decideOnDevice(at: page, userCode: typed)
        #expect(try await ask(device).status == 200)
    }

    @Test("A device that is turned away is told")
    func denial() async throws {
        let device = try await begin()
        try await decide(device, allows: false)
        #expect(try await ask(device).error == "access_denied")
    }

    @Test("A device code expires")
    func expiry() async throws {
        let device = try await begin()
        clock.advance(by: .seconds(600))
        #expect(try await ask(device).error == "expired_token")
    }

    @Test("Tokens are for the resource that the device names, and for no other (RFC 8707)", arguments: [true, false])
    func resource(isNamed: Bool) async throws {
        let resource = isNamed ? server.resource.absoluteString : nil
        let device = try await begin(["resource": resource])
        try await decide(device, allows: true)
        let token = try #require(try await ask(device, ["resource": resource])["access_token"])
        #expect(SignedMessage(token)?.claims["aud"]?.stringValue == resource)
        let notes = try await client.get("/api/notes", headers: ["Authorization": "Bearer \(token)"])
        #expect(notes.status == (isNamed ? 200 : 401))
    }

    private func begin(_ changes: [String: String?] = [:]) async throws -> PlainOpenIDClient.Answer {
        var form = ["client_id": "swift-app", "scope": "openid read"]
        for (name, value) in changes { form[name] = value }
        let answer = try await client.post("/device-authorization", form)
        #expect(answer.status == 200)
        return answer
    }

    private func ask(
        _ device: PlainOpenIDClient.Answer, _ changes: [String: String?] = [:]
    ) async throws -> PlainOpenIDClient.Answer {
        var form = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "swift-app",
            "device_code": device["device_code"] ?? "",
        ]
        for (name, value) in changes { form[name] = value }
        return try await client.post("/token", form)
    }

    private func decide(_ device: PlainOpenIDClient.Answer, allows: Bool) async throws {
        let login = ScriptedLogin(username: "ada", password: server.user.password, allows: allows)
        let page = try #require(device["verification_uri_complete"].flatMap(URL.init(string:)))
        try await login.decideOnDevice(at: page)
    }
}
