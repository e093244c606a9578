import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("The forms of clients", .stopsServers)
struct DashboardClientTests {
    private let form = [
        ("clientID", "another"), ("name", "Another <b>app</b>"), ("redirectURIs", "app:/one http://127.0.0.1:7/two"),
        ("kind", "public"), ("secret", ""), ("grant-authorization_code", "on"),
    ]

    private func with(_ values: [String: String], id: String? = nil) -> [(String, String)] {
        form.map { ($0.0, values[$0.0] ?? $0.1) } + (id.map { [("id", $0)] } ?? [])
    }

    @Test("A client is added, changed and removed", arguments: ["thunderid", "oidc"])
    func lifeOfClient(site: String) async throws {
        let visitor = try await DashboardVisitor.start()
        func redirectURIs() -> [String]? {
            site == "oidc"
                ? visitor.openIDConnect.server.clients.client("another")?.redirectURIs
                : visitor.thunderID.server.clients.client("another")?.redirectURIs
        }
        let added = try await visitor.press("/\(site)/client", form)
        #expect(added.status == 200 && added.body.contains("<strong>Another &lt;b&gt;app&lt;/b&gt;</strong>"))
        #expect(added.body.contains("<code class=\"also\">http://127.0.0.1:7/two</code>"), "\(site)")
        #expect(added.body.contains("role=\"status\">The client was saved.</p>"))
        #expect(redirectURIs() == ["app:/one", "http://127.0.0.1:7/two"])
        #expect(
            try await visitor.get("/\(site)/client?id=another").body.contains("app:/one http://127.0.0.1:7/two"))
        _ = try await visitor.press("/\(site)/client", with(["redirectURIs": "app:/three"], id: "another"))
        #expect(redirectURIs() == ["app:/three"])
        _ = try await visitor.press("/\(site)/client", [("id", "another"), ("action", "remove")])
        #expect(redirectURIs() == nil)
        #expect(try await visitor.get("/\(site)/client?id=another").status == 404)
    }

    @Test(
        "What cannot be is refused beside its field, and nothing is lost",
        arguments: [
            (["clientID": ""], "A client ID is needed."),
            (["clientID": "caf\u{E9}"], "A client ID has only visible characters of ASCII and blanks."),
            (["redirectURIs": "nowhere"], "nowhere cannot be a redirect URI."),
            (["redirectURIs": "app:/one#part"], "app:/one#part cannot be a redirect URI."),
            (["redirectURIs": "http://example.com/back"], "http://example.com/back cannot be a redirect URI."),
            (["redirectURIs": "javascript:alert(1)"], "javascript:alert(1) cannot be a redirect URI."),
            (["redirectURIs": ""], "A sign-in in a browser needs a redirect URI."),
            (["kind": "confidential"], "A confidential client needs a secret."),
        ])
    func refused(values: [String: String], message: String) async throws {
        let visitor = try await DashboardVisitor.start()
        for site in ["thunderid", "oidc"] {
            let page = try await visitor.press("/\(site)/client", with(values))
            #expect(page.status == 422 && page.body.contains(message), "\(site): \(values)")
            #expect(page.body.contains("Another &lt;b&gt;app&lt;/b&gt;") && page.body.contains("aria-invalid"))
        }
        #expect(visitor.openIDConnect.server.clients.client("another") == nil)
        #expect(visitor.thunderID.server.clients.client("another") == nil)
    }

    @Test("An identifier belongs to one client, and a secret that is not typed again stays and is not shown")
    func identifiersAndSecrets() async throws {
        let visitor = try await DashboardVisitor.start()
        let server = visitor.thunderID.server
        let taken = try await visitor.press("/thunderid/client", with(["clientID": "swift-demo"]))
        #expect(taken.status == 422 && taken.body.contains("Another client has this ID."))
        let confidential = ["kind": "confidential", "secret": "s3cret-of-another"]
        let page = try await visitor.press("/thunderid/client", with(confidential))
        #expect(page.status == 200 && !page.body.contains("s3cret-of-another"))
        _ = try await visitor.press("/thunderid/client", with(["kind": "confidential"], id: "another"))
        #expect(server.clients.client("another")?.clientAuthentication == .basic("s3cret-of-another"))
        #expect(!(try await visitor.get("/thunderid/client?id=another").body.contains("s3cret-of-another")))
        _ = try await visitor.press("/thunderid/client", with([:], id: "another"))
        #expect(
            server.clients.client("another")?.clientAuthentication
                == LocalThunderIDServer.Application.ClientAuthentication.none)
    }

    @Test("An added application signs people in, and a removed one does not, also after a restart")
    func thunderIDApplications() async throws {
        let kept = Locked<Data?>(nil)
        func storage() -> ServerStorage {
            ServerStorage(name: "state", content: kept.withLock { $0 }) { data in kept.withLock { $0 = data } }
        }
        let first = try await LocalThunderIDServer.start(storage: storage())
        try first.changeClients { clients in
            clients.put(ClientChange(id: "another", name: "Another", redirectURIs: ["app:/one"], grantTypes: []))
            clients.remove("swift-demo")
        }
        let id = try #require(first.clients.client("another")?.id)
        await first.stop()
        let second = try await LocalThunderIDServer.start(storage: storage()).untilTestEnds()
        #expect(second.clients.all.map(\.clientID) == ["another"])
        #expect(second.clients.client("another")?.id == id && second.firstClient.clientID == "another")
        for (application, status) in [(id, 200), (second.application.id, 400)] {
            var request = URLRequest(url: second.url.appendingPathComponent("flow/execute"))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(
                ["applicationId": .string(application), "flowType": "AUTHENTICATION"] as JSONValue)
            #expect(try await DefaultTransport.make().data(for: request).1.statusCode == status, "\(application)")
        }
    }
}
