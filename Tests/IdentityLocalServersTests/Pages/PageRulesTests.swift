import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

/// What holds for every page of every server.
@Suite("Pages of the local servers", .stopsServers)
struct PageRulesTests {
    @Test("OpenID Connect: sign-in, consent, device, form_post, sign-out, errors")
    func openIDConnect() async throws {
        let (client, visitor) = try await openIDPages { $0.clients[0].name = HTMLPageTests.hostile }
        var pages = [try await visitor.open(client.authorizationURL([:]))]
        pages.append(try await visitor.submit(pages[0], ["username": "ada", "password": "wrong"]))
        pages.append(try await visitor.submit(pages[1], client.credentials))
        #expect(pages.last?.title == "Allow access")
        let formPost = try await visitor.open(client.authorizationURL(["response_mode": "form_post"]))
        pages.append(try await visitor.submit(formPost, pressing: "allow"))
        #expect(pages.last?.value("code") != nil)
        for path in ["/device?user_code=%3Cscript%3E", "/end-session", "/nowhere", "/authorize?client_id=x"] {
            pages.append(try await visitor.open(path))
        }
        pages.forEach(check)
    }

    @Test("ThunderID: each step of a flow, errors, sign-out")
    func thunderID() async throws {
        let configuration = LocalThunderIDServer.Configuration {
            $0.servesGate = true
            $0.application.name = HTMLPageTests.hostile
            $0.signIn.steps = [.consent(), .form(.everyKindOfInput), .notice(HTMLPageTests.hostile)]
            $0.signOutConfirmation = .always
        }
        let visitor = try await ThunderIDVisitor.start(configuration)
        let person = FormVisitor(visitor.server.url)
        var pages = [try await person.open(visitor.authorizationURL())]
        pages.append(try await person.submit(pages[0], ["input.username": "ada", "input.password": "wrong"]))
        pages.append(try await person.submit(pages[1], GateTests.credentials(visitor)))
        pages.append(try await person.submit(pages[2], pressing: "consent_action_allow"))
        #expect(pages[3].html.contains("<select"))
        for path in [
            "/gate/error?errorCode=%3Cscript%3E&errorMessage=%3Cscript%3E", "/gate/signin",
            "/gate/invite?executionId=x&inviteToken=y", "/oauth2/logout?client_id=swift-demo",
        ] { pages.append(try await person.open(path)) }
        #expect(pages.last?.title == "Leaving?")
        pages.forEach(check)
    }

    @Test("InsForge: the hosted page, the fake provider")
    func insForge() async throws {
        let (probe, person) = try await insForgePages { $0.user.name = HTMLPageTests.hostile }
        var pages = [try await person.open("/auth/sign-in")]
        pages.append(try await person.open("/auth/sign-in?redirect=app%3A%2F%2Fcb&code_challenge=c"))
        pages.append(try await person.submit(pages[1], ["email": "\"><script>", "password": "wrong"]))
        pages.append(try await person.open(probe.startOAuth("google")))
        pages.forEach(check)
    }

    @Test("No script reads a cookie of the pages, and no form of another site brings it along")
    func cookies() async throws {
        let (client, person) = try await openIDPages()
        let login = try await person.open(client.authorizationURL([:]))
        let consent = try await person.submit(login, client.credentials)
        var cookies = [consent.header("Set-Cookie")]
        let visitor = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let page = try await FormVisitor(visitor.server.url).open(visitor.authorizationURL())
        cookies.append(page.header("Set-Cookie"))
        for cookie in cookies {
            let attributes = (cookie ?? "").components(separatedBy: "; ").dropFirst()
            #expect(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"), "\(cookie ?? "none")")
        }
    }

    @Test("An address that is asked in a wrong way says how it is asked (RFC 9110 section 15.5.6)")
    func allowedMethods() async throws {
        let (_, person) = try await openIDPages()
        let answer = try await person.open("/login")
        #expect(answer.status == 405 && answer.header("Allow") == "POST")
        #expect(try await person.post("/jwks", []).header("Allow") == "GET")
    }

    private func check(_ page: FormVisitor.Page) {
        let place = Comment(rawValue: page.url.path)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8", place)
        let policy = page.header("Content-Security-Policy") ?? ""
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
            #expect(policy.contains(rule), place)
        }
        #expect(!policy.contains("unsafe") && !policy.contains("script-src"), place)
        #expect(page.header("X-Frame-Options") == "DENY", place)
        #expect(page.header("Cache-Control") == "no-store", place)
        #expect(page.header("Referrer-Policy") == "same-origin", place)
        #expect(page.header("X-Content-Type-Options") == "nosniff", place)
        #expect(!page.html.contains("<script") && !page.html.contains("onclick='"), place)
        #expect(page.html.contains("<html lang=\"en\">") && page.html.contains("<main"), place)
        #expect(page.html.contains("name=\"viewport\"") && !page.title.isEmpty, place)
        // A screen reader finds every field and its label.
        let labels = page.html.components(separatedBy: "<label for=").count
        let controls =
            page.html.components(separatedBy: "<input id=").count + page.html.components(separatedBy: "<select ").count
            - 1
        #expect(labels == controls, place)
    }
}
