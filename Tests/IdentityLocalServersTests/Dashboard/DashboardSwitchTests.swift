import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("The switches of the dashboard", .stopsServers)
struct DashboardSwitchTests {
    // MARK: What they do

    @Test("Errors: the server answers 503 to everything, the others go on, and it recovers")
    func errors() async throws {
        let visitor = try await DashboardVisitor.start()
        let pressed = try await visitor.press("/thunderid/fail", [("state", "on")])
        #expect(pressed.status == 200)
        #expect(pressed.body.contains("on, every response is 503"))
        #expect(try await visitor.thunderID.get("/oauth2/jwks").status == 503)
        #expect(try await visitor.openIDConnect.get("/jwks").status == 200)
        #expect(try await visitor.get("/").body.contains("<td>503</td>"))
        #expect(try await visitor.press("/thunderid/fail", [("state", "off")]).status == 200)
        #expect(try await visitor.thunderID.get("/oauth2/jwks").status == 200)
    }

    @Test("A pressed button redirects to the page, and no cache keeps that")
    func afterwards() async throws {
        let visitor = try await DashboardVisitor.start()
        let form = [("token", try await visitor.token()), ("state", "on")]
        let answer = try await visitor.post("/oidc/slow", form)
        #expect(answer.status == 303 && answer.header("Location") == "/oidc?tab=faults&done=slow")
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test("Slow responses: the server waits, and then does not any more")
    func slow() async throws {
        let visitor = try await DashboardVisitor.start()
        let http = visitor.insForge.server.http
        #expect(try await visitor.press("/insforge/slow", [("state", "on")]).body.contains("on, 3 seconds late"))
        #expect(http.standingFaults == StandingFaults(delay: .seconds(3)))
        _ = try await visitor.press("/insforge/fail", [("state", "on")])
        #expect(http.standingFaults == StandingFaults(delay: .seconds(3), failure: 503), "both at once")
        _ = try await visitor.press("/insforge/slow", [("state", "off")])
        #expect(http.standingFaults == StandingFaults(failure: 503))
    }

    @Test("Rotation: a new key signs, and the old one still verifies")
    func rotation() async throws {
        let visitor = try await DashboardVisitor.start()
        func keys() async throws -> [JSONValue] {
            [
                try await visitor.thunderID.get("/oauth2/jwks").json,
                try await visitor.insForge.send("GET", "/.well-known/jwks.json").json,
                try await visitor.openIDConnect.get("/jwks").json ?? .null,
            ]
        }
        let session = try await visitor.insForge.signIn().json["accessToken"]?.stringValue ?? ""
        let before = try await keys()
        for site in ["thunderid", "insforge", "oidc"] { _ = try await visitor.press("/\(site)/rotate") }
        let after = try await keys()
        for (old, new) in zip(before, after) {
            let (old, new) = (old["keys"]?.arrayValue ?? [], new["keys"]?.arrayValue ?? [])
            #expect(new.count == old.count + 1 && old.allSatisfy(new.contains))
        }
        #expect(try await visitor.insForge.currentSession(session).status == 200)
        let fresh = try await visitor.insForge.signIn().json["accessToken"]?.stringValue ?? ""
        #expect(fresh.prefix { $0 != "." } != session.prefix { $0 != "." }, "another key in the header")
        #expect(try await visitor.insForge.currentSession(fresh).status == 200)
    }

    @Test("Revocation: one family falls, then all of them")
    func revocation() async throws {
        let visitor = try await DashboardVisitor.start()
        let first = try await visitor.thunderID.signIn()["access_token"]
        let second = try await visitor.thunderID.signIn()["access_token"]
        let family = try claims(of: first)["tfid"]?.stringValue ?? ""
        func status(_ token: JSONValue?) async throws -> Int {
            try await visitor.thunderID.get("/api/resource", bearer: token?.stringValue).status
        }
        #expect(
            try await visitor.press("/thunderid/revoke", [("family", family), ("tab", "activity")]).body.contains(
                "</span> revoked</span>"))
        #expect(try await status(first) == 401)
        #expect(try await status(second) == 200)
        _ = try await visitor.press("/thunderid/revoke", [("family", "")])
        #expect(try await status(second) == 401)

        let tokens = try await visitor.openIDConnect.tokens()
        _ = try await visitor.press("/oidc/revoke", [("family", "")])
        #expect(try await visitor.openIDConnect.resource(tokens["access_token"] ?? "").status == 401)
        #expect(try await visitor.press("/insforge/revoke", [("family", "")]).status == 400)
    }

    // MARK: Who may press them

    @Test("Without the token of this start no button works", arguments: [nil, "", "guessed"])
    func token(sent: String?) async throws {
        let visitor = try await DashboardVisitor.start()
        let form = sent.map { [("token", $0)] } ?? []
        let answer = try await visitor.post("/oidc/fail", form + [("state", "on")])
        #expect(answer.status == 403)
        #expect(try await visitor.openIDConnect.get("/jwks").status == 200)
    }

    @Test("A token that comes twice, or without a form, is none")
    func ambiguous() async throws {
        let visitor = try await DashboardVisitor.start()
        let token = try await visitor.token()
        #expect(
            try await visitor.post("/oidc/fail", [("token", token), ("token", token), ("state", "on")]).status
                == 403)
        let asJSON = ["Content-Type": "text/plain"]
        #expect(
            try await visitor.post("/oidc/fail", [("token", token), ("state", "on")], headers: asJSON).status == 403
        )
        #expect(try await visitor.openIDConnect.get("/jwks").status == 200)
    }

    @Test(
        "A form of another page is refused, even with the token",
        arguments: [
            ["Origin": "https://attacker.example"], ["Origin": "null"], ["Origin": "http://127.0.0.1:1"],
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ])
    func foreignPages(headers: [String: String]) async throws {
        let visitor = try await DashboardVisitor.start()
        let answer = try await visitor.press("/oidc/fail", [("state", "on")], headers: headers)
        #expect(answer.status == 403)
        #expect(try await visitor.openIDConnect.get("/jwks").status == 200)
    }

    @Test("A form of our own page is taken, under either name of this machine")
    func ownPages() async throws {
        let visitor = try await DashboardVisitor.start()
        let host = "localhost:\(visitor.dashboard.url.port ?? 0)"
        let headers = ["Host": host, "Origin": "http://\(host)", "Sec-Fetch-Site": "same-origin"]
        _ = try await visitor.press("/oidc/fail", [("state", "on")], headers: headers)
        #expect(try await visitor.openIDConnect.get("/jwks").status == 503)
    }

    @Test(
        "Under another host name nothing is shown and no button works",
        arguments: ["attacker.example", "127.0.0.1", "127.0.0.1.attacker.example"])
    func rebinding(host: String) async throws {
        let visitor = try await DashboardVisitor.start()
        let port = visitor.dashboard.url.port ?? 0
        let name = host == "127.0.0.1" ? host : "\(host):\(port)"
        let page = try await visitor.get("/", headers: ["Host": name])
        #expect(page.status == 421)
        #expect(!page.body.contains("name=\"token\"") && !page.body.contains("ada"))
        let headers = ["Host": name, "Origin": "http://\(name)"]
        #expect(try await visitor.press("/oidc/fail", [("state", "on")], headers: headers).status == 421)
        #expect(try await visitor.openIDConnect.get("/jwks").status == 200)
    }

    @Test("A button is pressed by POST alone, and must exist")
    func unknown() async throws {
        let visitor = try await DashboardVisitor.start()
        let followed = try await visitor.get("/oidc/fail?state=on")
        #expect(followed.status == 404)
        let put = try await visitor.ask("PUT", "/oidc/fail")
        #expect(put.status == 405 && put.header("Allow") == "GET, POST")
        #expect(try await visitor.press("/oidc/explode").status == 404)
        #expect(try await visitor.press("/elsewhere/fail", [("state", "on")]).status == 404)
        #expect(try await visitor.press("/oidc/fail", [("state", "maybe")]).status == 400)
        #expect(visitor.openIDConnect.server.http.standingFaults == StandingFaults())
    }
}
