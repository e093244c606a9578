import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The endpoints of OpenID Connect CIBA, as the real server has them.
@Suite("ThunderID server: sign-ins by a message") struct ThunderIDBackchannelTests {
    fileprivate static let grant = "urn:openid:params:grant-type:ciba"

    private struct Scene {
        let server: LocalThunderIDServer
        let clock = ManualClock()

        init() async throws {
            var configuration = LocalThunderIDServer.Configuration()
            configuration.application.grantTypes = [.backchannel, .refreshToken, .authorizationCode]
            configuration.additionalApplications = [
                configuration.application.with { ($0.id, $0.clientID) = ("other", "other") }
            ]
            server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock)
        }

        func post(
            _ fields: [String: String], to path: String, client: String? = nil
        ) async throws -> (status: Int, body: JSONValue, response: HTTPURLResponse) {
            var request = URLRequest(url: server.url.appendingPathComponent(path))
            request.httpMethod = "POST"
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            let all = fields.merging(["client_id": client ?? server.application.clientID]) { $1 }
            let form = all.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            request.httpBody = Data(form.joined(separator: "&").utf8)
            let (data, response) = try await DefaultTransport.make().data(for: request)
            return (response.statusCode, try JSONValue(parsing: data), response)
        }

        func begin(_ fields: [String: String]) async throws -> (status: Int, body: JSONValue, response: HTTPURLResponse)
        {
            try await post(["scope": "openid"].merging(fields) { $1 }, to: "oauth2/bc-authorize")
        }

        func poll(
            _ id: String, client: String? = nil, resource: String? = nil
        ) async throws -> (status: Int, error: String?, body: JSONValue) {
            var fields = ["grant_type": ThunderIDBackchannelTests.grant, "auth_req_id": id]
            fields["resource"] = resource
            let (status, body, _) = try await post(fields, to: "oauth2/token", client: client)
            return (status, body["error"]?.stringValue, body)
        }
    }

    @Test("Exactly one hint names the person, and a token of a hint is refused")
    func hints() async throws {
        let scene = try await Scene()
        for (fields, error) in [
            ([:], "invalid_request"), (["login_hint": "ada", "id_token_hint": "x"], "invalid_request"),
            (["login_hint_token": "x"], "invalid_request"), (["id_token_hint": "x"], "invalid_request"),
            (["login_hint": "nobody"], "unknown_user_id"), (["login_hint": "ada", "scope": "email"], "invalid_scope"),
            (["login_hint": "ada", "resource": "https://api.example"], "invalid_target"),
            (["login_hint": "ada", "requested_expiry": "0"], "invalid_request"),
        ] as [([String: String], String)] {
            let (status, body, _) = try await scene.begin(fields)
            #expect(status == 400 && body["error"]?.stringValue == error, "\(fields)")
        }
        #expect(scene.server.messages.isEmpty)
        let (status, body, response) = try await scene.begin([
            "login_hint": "ada@example.org", "requested_expiry": "60",
        ])
        #expect(status == 200 && response.value(forHTTPHeaderField: "Cache-Control") == "no-store")
        #expect(body["auth_req_id"]?.stringValue?.count == 36 && body["expires_in"] == 60 && body["interval"] == 5)
        let message = try #require(scene.server.messages.last)
        #expect(message.purpose == .signInRequest && !message.secret.reveal().isEmpty)
        #expect(message.link?.path == "/gate/signin")
        await scene.server.stop()
    }

    @Test("A request is its client's alone, brings tokens once, and knows its end")
    func polling() async throws {
        let scene = try await Scene()
        let id = try #require(try await scene.begin(["login_hint": "ada"]).body["auth_req_id"]?.stringValue)
        #expect(try await scene.poll("unknown").error == "invalid_grant")
        #expect(try await scene.poll(id, client: "other").error == "invalid_grant")
        #expect(try await scene.poll(id).error == "authorization_pending")
        #expect(try await scene.poll(id).error == "slow_down")
        try scene.server.answer(#require(scene.server.messages.last), with: .confirm)
        let (status, _, tokens) = try await scene.poll(id)
        #expect(status == 200 && tokens["id_token"] != nil && tokens["refresh_token"] != nil)
        #expect(tokens["scope"] == "openid")
        #expect(try await scene.poll(id).error == "invalid_grant")

        let late = try #require(try await scene.begin(["login_hint": "ada"]).body["auth_req_id"]?.stringValue)
        scene.clock.advance(by: .seconds(301))
        #expect(try await scene.poll(late).error == "expired_token")
        await scene.server.stop()
    }

    @Test("The ID token of an earlier sign-in names the person")
    func idTokenHint() async throws {
        let scene = try await Scene()
        let id = try #require(try await scene.begin(["login_hint": "ada"]).body["auth_req_id"]?.stringValue)
        try scene.server.answer(#require(scene.server.messages.last), with: .confirm)
        let idToken = try #require(try await scene.poll(id).body["id_token"]?.stringValue)
        let again = try #require(try await scene.begin(["id_token_hint": idToken]).body["auth_req_id"]?.stringValue)
        try scene.server.answer(#require(scene.server.messages.last), with: .refuse)
        #expect(try await scene.poll(again).error == "access_denied")
        await scene.server.stop()
    }
}
