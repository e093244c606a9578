import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("The forms of the dashboard", .stopsServers)
struct DashboardFormTests {
    private let grace = [
        ("name", "Grace Hopper"), ("email", "grace@example.org"), ("username", "grace"), ("password", "Hopper-1906"),
    ]

    private func id(_ report: LocalServerReport, _ email: String) throws -> String {
        try #require(report.people.first { $0.email == email }).id
    }

    @Test("A person is added, changed and removed", arguments: ["thunderid", "insforge", "oidc"])
    func people(site: String) async throws {
        let visitor = try await DashboardVisitor.start()
        func report() -> LocalServerReport {
            switch site {
            case "thunderid": visitor.thunderID.server.report
            case "insforge": visitor.insForge.server.report
            default: visitor.openIDConnect.server.report
            }
        }
        let added = try await visitor.press("/\(site)/person", grace)
        #expect(added.status == 200 && added.body.contains("<strong>Grace Hopper</strong>"))
        #expect(!added.body.contains("Hopper-1906"))
        let id = try id(report(), "grace@example.org")

        let form = try await visitor.get("/\(site)/person?id=\(id)").body
        #expect(form.contains("value=\"grace@example.org\"") && !form.contains("Hopper-1906"))
        let change = [("id", id), ("name", "Grace"), ("email", "hopper@example.org"), ("username", "grace")]
        _ = try await visitor.press("/\(site)/person", change + [("password", "")])
        #expect(try self.id(report(), "hopper@example.org") == id)

        let question = try await visitor.get("/\(site)/person?id=\(id)&remove=1").body
        #expect(question.contains("<h1>Remove Grace?</h1>") && question.contains("Keep this person"))
        #expect(report().people.contains { $0.id == id }, "asking removes nobody")
        let removed = try await visitor.press("/\(site)/person", [("id", id), ("action", "remove")])
        #expect(removed.body.contains("role=\"status\">The person was removed.</p>"))
        #expect(!report().people.contains { $0.id == id })
        #expect(try await visitor.get("/\(site)/person?id=\(id)").status == 404)
    }

    @Test("What is refused stays in the form, beside the reason, but for the password")
    func refused() async throws {
        let visitor = try await DashboardVisitor.start()
        var form = grace
        form[2].1 = "ada"
        let page = try await visitor.press("/oidc/person", form)
        #expect(page.status == 422)
        #expect(page.body.contains("Somebody else has this user name."))
        #expect(page.body.contains("value=\"Grace Hopper\"") && page.body.contains("aria-invalid=\"true\""))
        #expect(!page.body.contains("Hopper-1906"))
        #expect(visitor.openIDConnect.server.report.people.count == 1)
    }

    @Test("Nothing is changed without the token of this start, or from another site")
    func foreign() async throws {
        let visitor = try await DashboardVisitor.start()
        let bare = try await visitor.post("/oidc/person", grace)
        #expect(bare.status == 403)
        let foreign = try await visitor.press(
            "/oidc/person", grace, headers: ["Origin": "https://attacker.example"])
        #expect(foreign.status == 403)
        #expect(visitor.openIDConnect.server.report.people.count == 1)
    }

    @Test("Who is disabled loses every token")
    func disabled() async throws {
        let visitor = try await DashboardVisitor.start()
        let tokens = try await visitor.openIDConnect.tokens()
        let user = visitor.openIDConnect.server.user
        let form = [
            ("id", user.id), ("name", "Ada"), ("email", "ada@example.org"), ("username", "ada"),
            ("disabled", "on"),
        ]
        #expect(try await visitor.press("/oidc/person", form).body.contains("<td>disabled</td>"))
        #expect(try await visitor.openIDConnect.resource(tokens["access_token"] ?? "").status == 401)
    }

    @Test("Changes outlive a restart")
    func kept() async throws {
        let kept = Locked<Data?>(nil)
        func storage() -> ServerStorage {
            ServerStorage(name: "state", content: kept.withLock { $0 }) { data in kept.withLock { $0 = data } }
        }
        let first = try await LocalOpenIDConnectServer.start(storage: storage())
        let user = LocalOpenIDConnectServer.User(id: "g", username: "grace", claims: ["name": "Grace Hopper"])
        #expect(try first.put(OpenIDUserDirectory.Record(user: user)))
        try first.changeClients {
            $0.put(ClientChange(id: "another", name: "Another", redirectURIs: [], grantTypes: []))
        }
        await first.stop()
        let second = try await LocalOpenIDConnectServer.start(storage: storage()).untilTestEnds()
        #expect(second.report.people.map(\.profile.label) == ["Ada Lovelace", "Grace Hopper"])
        #expect(second.clients.client("another")?.name == "Another")
    }
}
