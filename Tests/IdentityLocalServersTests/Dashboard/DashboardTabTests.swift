import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("The tabs of the dashboard", .stopsServers)
struct DashboardTabTests {
    @Test("Each tab is a page of its own, reached by a link, and has what it is called")
    func tabs() async throws {
        let visitor = try await DashboardVisitor.start()
        let marks = ["activity": "live-requests", "people": "live-people", "clients": "live-clients"]
        for (tab, mark) in marks.merging(["faults": "Respond normally|Respond with 503"], uniquingKeysWith: { $1 }) {
            let page = try await visitor.get("/oidc?tab=\(tab)").body
            #expect(page.contains("<a href=\"/oidc?tab=\(tab)\" aria-current=\"page\">\(tab.capitalized)</a>"))
            let isThere = mark.split(separator: "|").contains { page.contains($0) }
            #expect(isThere, "\(tab)")
            let parts = marks.values.filter { page.contains("id=\"\($0)\"") }
            #expect(parts == (tab == "faults" ? [] : [mark]), "\(tab)")
        }
        #expect(!(try await visitor.get("/insforge").body.contains("tab=clients")), "InsForge has no clients")
        #expect(try await visitor.get("/oidc?tab=nothing").body.contains("live-requests"))
    }

    @Test("The filter leaves the rows whose text contains it, stays in its field, and looks at no markup")
    func filter() async throws {
        let visitor = try await DashboardVisitor.start()
        _ = try await visitor.openIDConnect.get("/jwks")
        _ = try await visitor.openIDConnect.get("/nowhere")
        let page = try await visitor.get("/oidc?tab=activity&q=NOWHERE").body
        #expect(page.contains("<code class=\"path\">/nowhere</code>") && !page.contains(">/jwks<"))
        #expect(page.contains("name=\"q\" value=\"NOWHERE\"") && page.contains("Show all"))
        #expect(try await visitor.get("/oidc?q=span").body.contains("Nothing here matches the filter."))
        #expect(
            try await visitor.get("/oidc?tab=people&q=nobody").body.contains("Nothing here matches the filter."))
    }

    @Test("Who was saved is shown where they were, with a word about it")
    func staysThere() async throws {
        let visitor = try await DashboardVisitor.start()
        let user = visitor.openIDConnect.server.user
        let form = [
            ("token", try await visitor.token()), ("id", user.id), ("name", "Ada"), ("email", "ada@example.org"),
            ("username", "ada"), ("password", ""),
        ]
        let place = try await visitor.post("/oidc/person", form).header("Location") ?? ""
        #expect(place == "/oidc?tab=people&done=saved#row-\(user.id)")
        let page = try await visitor.get("/oidc?tab=people&done=saved").body
        #expect(page.contains("The person was saved.") && page.contains("<a id=\"row-\(user.id)\""))
    }

    @Test("A family that is revoked on a person's page leads back there")
    func revokedThere() async throws {
        let visitor = try await DashboardVisitor.start()
        _ = try await visitor.thunderID.signIn()
        let id = visitor.thunderID.server.user.id
        let page = try await visitor.press("/thunderid/revoke", [("family", ""), ("person", id)])
        #expect(page.body.contains("<h1>Edit the person</h1>") && page.body.contains("The tokens were revoked."))
    }
}
