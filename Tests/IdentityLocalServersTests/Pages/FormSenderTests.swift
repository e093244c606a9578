import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("Forms of the pages, sent by a page of another site", .stopsServers)
struct FormSenderTests {
    @Test(
        "A browser says which page sends a form; who is no browser need not",
        arguments: [
            ([:], true),
            (["Origin": "http://127.0.0.1:8090"], true),
            (["Origin": "http://127.0.0.1:8090", "Sec-Fetch-Site": "same-origin"], true),
            // The same page behind something that adds TLS.
            (["Origin": "https://id.example.org", "Sec-Fetch-Site": "same-origin"], true),
            (["Sec-Fetch-Site": "none"], true),
            (["Origin": "http://127.0.0.1:8091"], false),
            (["Origin": "https://attacker.example"], false),
            (["Origin": "127.0.0.1:8090"], false),
            (["Origin": "null"], false),
            (["Sec-Fetch-Site": "same-site"], false),
            (["Sec-Fetch-Site": "cross-site"], false),
            (["Origin": "http://127.0.0.1:8090", "Sec-Fetch-Site": "cross-site"], false),
        ])
    func senders(headers: [String: String], isOwn: Bool) {
        let request = LocalRequest(
            method: "POST", target: "/login",
            headers: (headers.map { $0 } + [(key: "Host", value: "127.0.0.1:8090")])
                .map { LocalRequest.Parameter(name: $0.key, value: $0.value) },
            body: Data())
        #expect(request.isFromOwnPage == isOwn)
    }

    private static let foreign = ["Origin": "https://attacker.example", "Sec-Fetch-Site": "cross-site"]

    /// Refused, with a page, and without a cookie of a new session.
    private func expectRefusal(_ page: FormVisitor.Page, _ place: Comment) {
        #expect(page.status == 403, place)
        #expect(page.alert == "Another site sent this form. Begin again in the application.", place)
        #expect(page.header("Set-Cookie") == nil, place)
        #expect(page.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true, place)
    }

    @Test("OpenID Connect: sign-in, consent, device")
    func openIDConnect() async throws {
        let (client, person) = try await openIDPages()
        let credentials = client.credentials
        let login = try await person.open(client.authorizationURL([:]))
        expectRefusal(try await person.submit(login, credentials, headers: Self.foreign), "sign-in")
        #expect(client.server.counters.signIns == 0)
        let consent = try await person.submit(login, credentials)
        expectRefusal(try await person.submit(consent, pressing: "allow", headers: Self.foreign), "consent")
        #expect(client.server.counters.codesIssued == 0)
        let code =
            try await client.post("/device-authorization", ["client_id": client.server.client.id])["device_code"] ?? ""
        let device = try await person.open("/device")
        expectRefusal(try await person.submit(device, credentials, headers: Self.foreign), "device")
        let asked = try await client.post(
            "/token",
            [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code,
                "client_id": client.server.client.id,
            ])
        #expect(asked.error == "authorization_pending")
    }

    @Test("ThunderID: a step of a flow")
    func thunderID() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let person = FormVisitor(visitor.server.url)
        let page = try await person.open(visitor.authorizationURL())
        let credentials = GateTests.credentials(visitor)
        expectRefusal(try await person.submit(page, credentials, headers: Self.foreign), "step")
        #expect(try await person.submit(page, credentials).url.parameter("code") != nil)
    }

    @Test("InsForge: sign-in, the fake provider")
    func insForge() async throws {
        let (probe, person) = try await insForgePages()
        let page = try await person.open("/auth/sign-in?redirect=app%3A%2F%2Fcb&code_challenge=c")
        let credentials = ["email": probe.server.user.email, "password": probe.server.user.password]
        expectRefusal(try await person.submit(page, credentials, headers: Self.foreign), "sign-in")
        let provider = try await person.open(probe.startOAuth("google"))
        expectRefusal(try await person.submit(provider, headers: Self.foreign), "fake provider")
    }
}
