import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("OpenID Connect pages: signing in by plain forms", .stopsServers)
struct OpenIDPageTests {
    @Test("A wrong password says so, keeps the user name and can be put right")
    func wrongPassword() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        let policy = page.header("Content-Security-Policy") ?? ""
        #expect(policy.hasSuffix("form-action 'self' http://127.0.0.1:9999"))
        let again = try await person.submit(page, ["username": "ada", "password": "guess"])
        #expect(again.alert == "The user name or the password is wrong." && client.server.counters.signIns == 0)
        #expect(again.value("username") == "ada" && !again.html.contains("guess"))
        #expect(again.html.contains("aria-describedby=\"alert\""))
        let consent = try await person.submit(again, ["password": client.server.user.password.reveal()])
        #expect(consent.html.contains("signed in as <strong>Ada Lovelace</strong>"))
        #expect(consent.html.contains("value=\"openid\" checked") && consent.html.contains("disabled"))
        #expect(try await person.submit(consent, pressing: "allow").url.parameter("code") != nil)
    }

    @Test("Who does not want to sign in goes back with access_denied")
    func leaving() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        let left = try await person.submit(page, pressing: "cancel")
        #expect(left.url.parameter("error") == "access_denied" && left.url.parameter("state") != nil)
    }

    @Test("What is unticked is not granted, but the client learns who signed in all the same")
    func unticked() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        let consent = try await person.submit(page, client.credentials)
        let landing = try await person.submit(consent, pressing: "allow", ticking: ["email"])
        let tokens = try await client.redeem(landing.url.parameter("code") ?? "")
        #expect(tokens["scope"] == "openid email" && tokens["id_token"] != nil)
    }

    @Test("The device page says what was wrong, and with what")
    func device() async throws {
        let (client, person) = try await openIDPages()
        let device = try await client.post("/device-authorization", ["client_id": client.server.client.id])
        let known = try await person.open("/device?user_code=\(device["user_code"] ?? "")")
        #expect(known.html.contains("<strong>\(client.server.client.name)</strong> waits"))
        let page = try await person.open("/device?user_code=ABCD-EFGH")
        #expect(!page.html.contains(client.server.client.name))
        #expect(page.value("user_code") == "ABCD-EFGH")
        let wrong = try await person.submit(page, ["username": "ada", "password": "guess"], pressing: "allow")
        #expect(wrong.alert == "The user name or the password is wrong." && wrong.value("username") == "ada")
        let unknown = try await person.submit(
            wrong, ["password": client.server.user.password.reveal()], pressing: "allow")
        #expect(unknown.alert == "No device waits with this code.")
        #expect(unknown.html.contains("name=\"user_code\" required aria-invalid=\"true\""))
    }
}
