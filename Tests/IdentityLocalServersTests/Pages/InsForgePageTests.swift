import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("InsForge pages: signing in by plain forms", .stopsServers)
struct InsForgePageTests {
    private static let page =
        "/auth/sign-in?redirect=app%3A%2F%2Fcb%3Fown%3D1&code_challenge=\(InsForgeProbe.challenge)"

    @Test("Address and password lead back with a code that can be exchanged")
    func password() async throws {
        let (probe, person) = try await insForgePages()
        let page = try await person.open(Self.page)
        #expect(page.header("Content-Security-Policy")?.hasSuffix("form-action 'self' app:") == true)
        let landing = try await person.submit(
            page, ["email": "Robin@Example.org", "password": probe.server.user.password])
        #expect(landing.url.absoluteString.hasPrefix("app://cb?own=1&insforge_code="))
        let code = landing.url.formParameters["insforge_code"] ?? ""
        #expect(try await probe.exchange(code).status == 200)
    }

    @Test("A wrong password says so and keeps the address; an address that may not be led to is refused")
    func refusals() async throws {
        let (probe, person) = try await insForgePages { $0.allowedRedirectURLs = ["app://cb**"] }
        let page = try await person.open(Self.page)
        let again = try await person.submit(page, ["email": "robin@example.org", "password": "guess"])
        #expect(again.alert == "Invalid credentials." && again.value("email") == "robin@example.org")
        #expect(!again.html.contains("guess"))
        #expect(try await person.open("/auth/sign-in?redirect=https%3A%2F%2Fevil.example").status == 400)
        let forged = try await person.post(
            "/auth/sign-in",
            [
                ("redirect", "https://evil.example"), ("email", "robin@example.org"),
                ("password", probe.server.user.password),
            ])
        #expect(forged.status == 400)
    }

    @Test("Another provider is one button away from the hosted page")
    func provider() async throws {
        let (probe, person) = try await insForgePages()
        let page = try await person.open(Self.page)
        let choice = try await person.submit(page, form: 1, pressing: "github")
        #expect(choice.title == "Sign in with GitHub")
        let landing = try await person.submit(choice, pressing: "robin@example.org")
        let code = landing.url.formParameters["insforge_code"] ?? ""
        #expect(try await probe.exchange(code).status == 200)
        #expect(try await person.open("/auth/sign-in?redirect=app%3A%2F%2Fcb").forms.count == 1)
    }

    @Test("The fake provider asks who the person is: a known one, another one, or a refusal")
    func fakeProvider() async throws {
        let (probe, person) = try await insForgePages()
        let page = try await person.open(try await probe.startOAuth("google"))
        #expect(page.header("Content-Security-Policy")?.hasSuffix("form-action 'self' app:") == true)
        let known = try await person.submit(page, pressing: "robin@example.org")
        let user = try await probe.exchange(known.url.formParameters["insforge_code"] ?? "").json["user"]
        #expect(user?["id"]?.stringValue == probe.server.user.id)

        let second = try await person.open(try await probe.startOAuth("custom/mock"))
        #expect(second.title == "Sign in with Mock")
        let other = try await person.submit(
            second, form: 1, ["email": "grace@example.org", "name": "Grace"], pressing: "allow")
        let new = try await probe.exchange(other.url.formParameters["insforge_code"] ?? "").json["user"]
        #expect(new?["email"] == "grace@example.org" && new?["profile"]?["name"] == "Grace")

        let third = try await person.open(try await probe.startOAuth("google"))
        let denied = try await person.submit(third, form: 1, pressing: "deny")
        #expect(denied.url.scheme == "app" && denied.url.formParameters["error"]?.isEmpty == false)
    }

    @Test("A scripted person signs in at both pages, or refuses")
    func scriptedPerson() async throws {
        let (probe, _) = try await insForgePages()
        let user = probe.server.user
        func land(_ page: URL, allows: Bool = true) async throws -> [String: String] {
            let login = ScriptedLogin(username: user.email, password: Secret(user.password), allows: allows)
            return try await login.signIn(at: page).formParameters
        }
        let hosted = try #require(URL(string: probe.server.url.absoluteString + Self.page))
        for page in [hosted, try await probe.startOAuth("google")] {
            #expect(try await probe.exchange(land(page)["insforge_code"] ?? "").status == 200)
        }
        #expect(try await land(probe.startOAuth("google"), allows: false)["error"]?.isEmpty == false)
    }

    @Test("The fake provider redirects to this server only, and has no form when it does not ask")
    func strangers() async throws {
        let (_, person) = try await insForgePages()
        let forged = try await person.post(
            "/fake-provider/authorize",
            [("redirect_uri", "https://evil.example/"), ("account", "robin@example.org")])
        #expect(forged.status == 400)
        let unasked = try await FormVisitor(InsForgeProbe.start().server.url)
        let provider = try await unasked.post("/fake-provider/authorize", [])
        let page = try await unasked.post("/auth/sign-in", [])
        #expect(provider.status == 404 && page.status == 404)
    }
}
