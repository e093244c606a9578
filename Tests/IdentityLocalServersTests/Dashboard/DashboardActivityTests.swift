import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("What the dashboard says about requests and tokens", .stopsServers)
struct DashboardActivityTests {
    private func kinds(_ report: LocalServerReport) -> [LocalServerReport.TokenEvent.Kind] {
        report.tokenEvents.map(\.kind)
    }

    @Test("A refused request has the error and its description, and the time it took")
    func refusedRequest() async throws {
        let visitor = try await DashboardVisitor.start()
        _ = try await visitor.openIDConnect.refresh("stale")
        let entry = try #require(visitor.openIDConnect.server.http.log.last)
        #expect(entry.status == 400 && entry.duration > .zero)
        #expect(entry.reason == "invalid_grant: The refresh token is unknown, too old or revoked")
        let page = try await visitor.get("/oidc").body
        let reason = try #require(entry.reason)
        #expect(page.contains("</span> 400 refused</span>") && page.contains(reason))
        #expect(!page.contains("stale"))
        // The day and the time are this machine's, and the title has them in UTC.
        let text = Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(entry.date)
        let title = text.dropLast().replacingOccurrences(of: "T", with: " ")
        #expect(page.contains("<time datetime=\"\(text)\" title=\"\(title) UTC\">"))

        _ = try await visitor.insForge.send("GET", "/api/auth/sessions/current")
        #expect(visitor.insForge.server.http.log.last?.reason == "AUTH_INVALID_CREDENTIALS: No token provided")
        _ = try await visitor.thunderID.get("/oauth2/userinfo", bearer: "no-token")
        #expect(visitor.thunderID.server.http.log.last?.reason?.hasPrefix("invalid_token: ") == true)
    }

    @Test("Tokens that are issued, refreshed, replayed and revoked are events of a person with a name")
    func events() async throws {
        let visitor = try await DashboardVisitor.start()
        let server = visitor.openIDConnect.server
        let tokens = try await visitor.openIDConnect.tokens()
        _ = try await visitor.openIDConnect.refresh(tokens["refresh_token"] ?? "")
        #expect(kinds(server.report) == [.refreshed, .issued])
        _ = try await visitor.openIDConnect.refresh(tokens["refresh_token"] ?? "")
        #expect(kinds(server.report) == [.refused, .revoked, .replayed, .refreshed, .issued])
        #expect(server.report.tokenEvents.dropFirst().allSatisfy { $0.person == "Ada Lovelace" })
        #expect(server.report.tokenEvents.allSatisfy { $0.client == "swift-app" })

        _ = try await visitor.thunderID.signIn()
        visitor.thunderID.server.revokeAllFamilies()
        #expect(kinds(visitor.thunderID.server.report).suffix(2) == [.revoked, .issued])
        _ = try await visitor.insForge.signIn()
        #expect(visitor.insForge.server.report.tokenEvents.first?.person == "Robin Doe")
    }

    @Test("A wrong password is an event with who was meant and why")
    func wrongPassword() async throws {
        let visitor = try await DashboardVisitor.start()
        let server = visitor.insForge.server
        for email in [server.user.email, "nobody@example.org"] {
            _ = try await visitor.insForge.send(
                "POST", "/api/auth/sessions", ["email": .string(email), "password": "wrong"])
        }
        let events = server.report.tokenEvents
        #expect(events.map(\.kind) == [.refused, .refused])
        #expect(events.map(\.person) == ["nobody@example.org", "Robin Doe"])
        #expect(events.allSatisfy { $0.reason?.contains("Invalid credentials") == true })
    }

    @Test("The tokens of a person are below their form, by identifier and not by name")
    func tokensOfPerson() async throws {
        let visitor = try await DashboardVisitor.start()
        _ = try await visitor.thunderID.signIn()
        let server = visitor.thunderID.server
        let namesake = [
            ("name", "Ada Lovelace"), ("email", "other@example.org"), ("username", "other"),
            ("password", "Other-1815"),
        ]
        _ = try await visitor.press("/thunderid/person", namesake)
        let other = try #require(server.report.people.first { $0.name == "other" })
        let own = try await visitor.get("/thunderid/person?id=\(server.user.id)").body
        #expect(own.contains("<td>refresh</td>") && own.contains("Revoke family"))
        #expect(!(try await visitor.get("/thunderid/person?id=\(other.id)").body.contains("<td>refresh</td>")))
        let tokens = server.report.tokens
        #expect(!tokens.isEmpty && tokens.allSatisfy { $0.personID == server.user.id })
        #expect(tokens.allSatisfy { $0.client == "swift-demo" }, "an assertion names the application")
    }

    @Test("An error that a browser takes back to the client is a reason, and the code of a sign-in is none")
    func redirects() {
        let refused = LocalResponse.redirect(
            to: "app:/callback?error=access_denied&error_description=Not+today&state=s")
        #expect(RefusalReason.text(of: refused) == "access_denied: Not today")
        #expect(RefusalReason.text(of: .redirect(to: "app:/callback?code=secret")) == nil)
        #expect(RefusalReason.text(of: .json(["error": "fine"])) == nil)
    }
}
