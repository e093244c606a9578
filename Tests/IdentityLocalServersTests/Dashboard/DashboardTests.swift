import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("The dashboard of the local servers", .stopsServers)
struct DashboardTests {
    @Test("It shows people, flows, tokens, messages and requests, and no token's value")
    func shows() async throws {
        let visitor = try await DashboardVisitor.start()
        let first = try await visitor.thunderID.signIn()
        let second = try await visitor.openIDConnect.tokens()
        let third = try await visitor.insForge.signIn()
        _ = try await visitor.thunderID.startSignIn()
        _ = try await visitor.insForge.send(
            "POST", "/api/auth/email/send-reset-password", ["email": .string(visitor.insForge.server.user.email)])

        let pages = try await [visitor.get("/").body] + ["thunderid", "insforge", "oidc"].asyncMap(visitor.tabs)
        let code = try #require(visitor.insForge.server.outbox.last?.code)
        #expect(pages[0].contains("<code>\(code)</code>") && pages[2].contains("<code>\(code)</code>"))
        #expect(pages[1].contains("</span> in progress</span>") && pages[1].contains("</span> completed</span>"))
        #expect(pages[1].contains("ada@example.org") && pages[1].contains("/oauth2/token"))
        #expect(pages[2].contains("robin@example.org") && pages[2].contains("<td>refresh</td>"))
        #expect(pages[3].contains("swift-app") && pages[3].contains("openid profile email"))

        let values = [
            first["access_token"]?.stringValue, first["refresh_token"]?.stringValue, first["id_token"]?.stringValue,
            second["access_token"], second["refresh_token"], second["id_token"],
            third.json["accessToken"]?.stringValue, third.json["refreshToken"]?.stringValue,
        ]
        for value in values {
            let value = try #require(value)
            // Neither the whole nor the part that proves anything.
            #expect(pages.allSatisfy { !$0.contains(value) && !$0.contains(String(value.suffix(20))) })
        }
        for secret in [
            "Enchantress-1", "correct horse", visitor.insForge.server.apiKey, visitor.insForge.server.anonKey,
        ] {
            #expect(pages.allSatisfy { !$0.contains(secret) })
        }
    }

    @Test("Every kind of token an OpenID Connect server hands out is listed, for as long as it is good for something")
    func openIDTokens() async throws {
        let visitor = try await DashboardVisitor.start()
        let tokens = try await visitor.openIDConnect.tokens()
        func kinds() -> [String] {
            visitor.openIDConnect.server.report.tokens.map { "\($0.kind.rawValue) \($0.state.rawValue)" }.sorted()
        }
        #expect(kinds() == ["access good", "id good", "refresh good"])
        _ = try await visitor.openIDConnect.refresh(tokens["refresh_token"] ?? "")
        #expect(kinds().filter { $0.hasPrefix("id") } == ["id good", "id good"])
        #expect(
            try await visitor.get("/oidc").body.contains(
                "</span> good</span></td>\n<td>swift-app</td>\n<td>Ada Lovelace</td>"))
        func buttons() async throws -> Int {
            try await visitor.get("/oidc").body.components(separatedBy: ">Revoke family<").count - 1
        }
        #expect(try await buttons() == kinds().count { $0.hasSuffix(" good") })
        visitor.openIDConnect.server.revokeAllFamilies()
        #expect(kinds().allSatisfy { $0.hasSuffix("revoked") })
        #expect(try await buttons() == 0)
    }

    @Test("A long table says how much of it is left out")
    func longTable() {
        func table(_ count: Int) -> String {
            DashboardTable("Numbers", columns: ["Number"], rows: (0..<count).map { [HTML($0)] }).html.text
        }
        #expect(table(50).contains("<td>49</td>") && !table(50).contains("more."))
        #expect(!table(53).contains("<td>50</td>") && table(53).contains("And 3 more."))
    }

    @Test("A browser leaves out the port that is HTTP's own")
    func wellKnownPort() {
        func isMeantForUs(_ host: String, port: Int) -> Bool {
            let request = LocalRequest(
                method: "GET", target: "/", headers: [.init(name: "Host", value: host)], body: Data())
            return DashboardGuard(port: port, token: "t").isMeantForUs(request)
        }
        #expect(isMeantForUs("localhost", port: 80) && isMeantForUs("127.0.0.1:80", port: 80))
        #expect(!isMeantForUs("localhost", port: 8099) && !isMeantForUs("attacker.example", port: 80))
    }

    @Test("The headers keep others out, and nothing is asked for again unless that is wanted")
    func headers() async throws {
        let visitor = try await DashboardVisitor.start()
        let page = try await visitor.get("/")
        let policy = try #require(page.header("Content-Security-Policy"))
        for directive in ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"] {
            #expect(policy.contains(directive))
        }
        #expect(page.header("X-Frame-Options") == "DENY")
        #expect(page.header("Cache-Control") == "no-store")
        #expect(!page.body.contains("http-equiv=\"refresh\""))
        #expect(page.body.components(separatedBy: "<script").count == 2 && policy.contains("script-src 'sha256-"))
        #expect(try await visitor.get("/oidc?refresh=5").body.contains(#"<meta http-equiv="refresh" content="5">"#))
        #expect(try await !visitor.get("/?refresh=0").body.contains("http-equiv"))
        #expect(try await visitor.get("/nowhere").status == 404)
    }

    @Test("What people are called is text, whatever it is")
    func hostileNames() async throws {
        let hostile = #""><script>alert('x')</script>&amp;"#
        let user = LocalThunderIDServer.User(
            username: hostile, attributes: ["email": .string("<img src=x onerror=alert(1)>@example.org")])
        let visitor = try await DashboardVisitor.start(user: user)
        _ = try await visitor.thunderID.get(
            "/<script>alert(2)</script>".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
        let text = try await visitor.get("/thunderid").body
        #expect(text.components(separatedBy: "<script").count == 2 && !text.contains("<img"))
        let people = try await visitor.get("/thunderid?tab=people").body
        #expect(people.components(separatedBy: "<script").count == 2 && !people.contains("<img"))
        #expect(people.contains("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;"))
        let filtered = try await visitor.get("/oidc?q=%22%3E%3Cscript%3E").body
        #expect(filtered.contains("value=\"&quot;&gt;&lt;script&gt;\""))
    }

    @Test("A link that would run a script is shown and leads nowhere")
    func hostileLinks() async throws {
        let page = DashboardVisitor.linked("javascript:alert(1)")
        #expect(page.contains("<code>javascript:alert(1)</code>") && !page.contains("href=\"javascript"))
        #expect(
            DashboardVisitor.linked("com.example.app://verify?x=1&y=2").contains(
                #"href="com.example.app://verify?x=1&amp;y=2""#))
    }
}

extension DashboardVisitor {
    /// The outbox with one message that has this link.
    static func linked(_ link: String) -> String { DashboardCell.link(link).text }
}

extension Sequence {
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
