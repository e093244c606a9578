import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import Testing

/// The endpoints of OpenID Connect CIBA, as the real server has them.
@Suite("ThunderID server: sign-ins by a message", .stopsServers) struct ThunderIDBackchannelTests {
    private struct Scene {
        let server: LocalThunderIDServer
        let clock = ManualClock()
        let visitor: ThunderIDVisitor

        init() async throws {
            var configuration = LocalThunderIDServer.Configuration()
            configuration.application.grantTypes = [.backchannel, .refreshToken, .authorizationCode]
            configuration.additionalApplications = [
                configuration.application.with { ($0.id, $0.clientID) = ("other", "other") }
            ]
            server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock).untilTestEnds()
            visitor = ThunderIDVisitor(server: server, clock: clock)
        }

        func begin(_ fields: [String: String]) async throws -> ThunderIDVisitor.Answer {
            let all = ["client_id": server.application.clientID, "scope": "openid"].merging(fields) { $1 }
            return try await visitor.post("/oauth2/bc-authorize", form: all.map { ($0, $1) })
        }

        func poll(_ id: JSONValue?, client: String? = nil) async throws -> ThunderIDVisitor.Answer {
            try await visitor.token([
                ("grant_type", "urn:openid:params:grant-type:ciba"), ("auth_req_id", id?.stringValue ?? ""),
                ("client_id", client ?? server.application.clientID),
            ])
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
            let answer = try await scene.begin(fields)
            #expect(answer.status == 400 && answer["error"]?.stringValue == error, "\(fields)")
        }
        #expect(scene.server.messages.isEmpty)
        let begun = try await scene.begin(["login_hint": "ada@example.org", "requested_expiry": "60"])
        #expect(begun.status == 200 && begun.header("Cache-Control") == "no-store")
        #expect(begun["auth_req_id"]?.stringValue?.count == 36 && begun["expires_in"] == 60 && begun["interval"] == 5)
        let message = try #require(scene.server.messages.last)
        #expect(message.purpose == .signInRequest && !message.secret.reveal().isEmpty)
        #expect(message.link?.path == "/gate/signin")
    }

    @Test("A request is its client's alone, brings tokens once, and knows its end")
    func polling() async throws {
        let scene = try await Scene()
        let id = try await scene.begin(["login_hint": "ada"])["auth_req_id"]
        #expect(try await scene.poll("unknown")["error"] == "invalid_grant")
        #expect(try await scene.poll(id, client: "other")["error"] == "invalid_grant")
        #expect(try await scene.poll(id)["error"] == "authorization_pending")
        #expect(try await scene.poll(id)["error"] == "slow_down")
        #expect(scene.server.report.tokenEvents.count == 2, "a poll is in the journal only when it is refused")
        try scene.server.answer(#require(scene.server.messages.last), with: .confirm)
        let tokens = try await scene.poll(id)
        #expect(tokens.status == 200 && tokens["id_token"] != nil && tokens["refresh_token"] != nil)
        #expect(tokens["scope"] == "openid")
        #expect(try await scene.poll(id)["error"] == "invalid_grant")

        let late = try await scene.begin(["login_hint": "ada"])["auth_req_id"]
        scene.clock.advance(by: .seconds(301))
        #expect(try await scene.poll(late)["error"] == "expired_token")
    }

    @Test("An ID token of the client names the person, also when it has expired, but no other token does")
    func idTokenHint() async throws {
        let scene = try await Scene()
        let id = try await scene.begin(["login_hint": "ada"])["auth_req_id"]
        try scene.server.answer(#require(scene.server.messages.last), with: .confirm)
        let tokens = try await scene.poll(id)
        let idToken = try #require(tokens["id_token"]?.stringValue)
        let again = try await scene.begin(["id_token_hint": idToken])["auth_req_id"]
        try scene.server.answer(#require(scene.server.messages.last), with: .refuse)
        #expect(try await scene.poll(again)["error"] == "access_denied")

        for name in ["access_token", "refresh_token"] {
            let answer = try await scene.begin(["id_token_hint": #require(tokens[name]?.stringValue)])
            #expect(answer["error"] == "invalid_request", "\(name)")
        }
        let foreign = try await scene.begin(["id_token_hint": idToken, "client_id": "other"])
        #expect(foreign["error"] == "invalid_request")
        scene.clock.advance(by: .seconds(86_400))
        let expired = try await scene.begin(["id_token_hint": idToken])
        #expect(expired.status == 200)
        scene.clock.advance(by: .seconds(30 * 86_400))
        let old = try await scene.begin(["id_token_hint": idToken])
        #expect(old["error"] == "invalid_request")
    }
}
