import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

/// A second click sends a form again, and the browser shows the second answer. So does going back, and loading again.
@Suite("Forms of the pages, sent twice", .stopsServers)
struct RepeatedFormTests {
    @Test("A wrong password can be sent twice, and the page still takes the right one")
    func wrongPassword() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        for _ in 0..<2 {
            let again = try await person.submit(page, ["username": "ada", "password": "guess"])
            #expect(again.alert == OpenIDPage.wrongCredentials)
        }
        #expect(client.server.report.flows.count == 1)
        #expect(try await person.submit(page, client.credentials).title == "Allow access")
    }

    @Test("Who signs in twice is asked the next question twice; who agrees twice gets back to the application twice")
    func signInAndConsent() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        let first = try await person.submit(page, client.credentials)
        let second = try await person.submit(page, client.credentials)
        #expect(first.title == "Allow access" && second.title == "Allow access")
        #expect(client.server.counters.signIns == 1)
        for _ in 0..<2 {
            let landing = try await person.submit(second, pressing: "allow")
            #expect(landing.url.parameter("state") == "the-state")
            #expect(try await client.redeem(landing.url.parameter("code") ?? "").status == 200)
        }
        #expect(try await client.callback(["prompt": "none"], login: client.login).parameter("code") == nil)
    }

    @Test("Who agrees twice to a request that wants consent is not asked once more")
    func wantedConsent() async throws {
        let (client, person) = try await openIDPages()
        let wanted = ["prompt": "consent", "scope": "openid offline_access"]
        let page = try await person.open(client.authorizationURL(wanted))
        let consent = try await person.submit(page, client.credentials)
        for _ in 0..<2 {
            let landing = try await person.submit(consent, pressing: "allow")
            let tokens = try await client.redeem(landing.url.parameter("code") ?? "")
            #expect(tokens["refresh_token"] != nil)
        }
        #expect(try await person.open(client.authorizationURL(wanted)).title == "Allow access")
    }

    @Test("Without the session of this browser, a form that was answered leads to the sign-in page and to no code")
    func elsewhere() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        let consent = try await person.submit(page, client.credentials)
        _ = try await person.submit(consent, pressing: "allow")
        let stranger = try await FormVisitor(client.server.url).submit(consent, pressing: "allow")
        #expect(stranger.title == "Sign in" && client.server.counters.codesIssued == 1)
    }

    @Test("Who refused can think again")
    func refusal() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        let consent = try await person.submit(page, client.credentials)
        #expect(try await person.submit(consent, pressing: "deny").url.parameter("error") == "access_denied")
        let asked = try await person.submit(consent, pressing: "allow")
        #expect(asked.title == "Allow access")
        #expect(try await person.submit(asked, pressing: "allow").url.parameter("code") != nil)
    }

    @Test("A device is connected, however often that is said; the other decision comes too late")
    func device() async throws {
        let (client, person) = try await openIDPages()
        let device = try await client.post("/device-authorization", ["client_id": client.server.client.id])
        let page = try await person.open("/device?user_code=\(device["user_code"] ?? "")")
        for _ in 0..<2 {
            #expect(
                try await person.submit(page, client.credentials, pressing: "allow").title == "The device is connected")
        }
        #expect(
            try await person.submit(page, client.credentials, pressing: "deny").alert
                == "No device waits with this code.")
        let shown = try await person.open(page.url)
        #expect(!shown.html.contains("waits to be connected"))
    }

    @Test("A device belongs to the first person; another one gets an error that does not name the first")
    func deviceOfSomebodyElse() async throws {
        let grace = LocalOpenIDConnectServer.User(id: "2", username: "grace", password: "Nanosecond-1")
        let (client, person) = try await openIDPages { $0.users.append(grace) }
        let device = try await client.post("/device-authorization", ["client_id": client.server.client.id])
        let page = try await person.open("/device?user_code=\(device["user_code"] ?? "")")
        #expect(try await person.submit(page, client.credentials, pressing: "allow").title == "The device is connected")
        let second = try await person.submit(
            page, ["username": "grace", "password": "Nanosecond-1"], pressing: "allow")
        #expect(second.alert == "No device waits with this code.")
    }

    @Test("ThunderID: the last form leads back to the application twice, with one code, and in this browser alone")
    func gate() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let person = FormVisitor(visitor.server.url)
        let page = try await person.open(visitor.authorizationURL())
        let first = try await person.submit(page, GateTests.credentials(visitor))
        let second = try await person.submit(page, GateTests.credentials(visitor))
        #expect(first.url.parameter("code") != nil && second.url == first.url)
        #expect(visitor.server.counters.codesIssued == 1)
        let stranger = try await FormVisitor(visitor.server.url).submit(page)
        #expect(stranger.status == 400 && stranger.alert?.contains("another browser") == true)
        #expect(try await person.open(page.url).alert?.contains("over") == true)
    }
}
