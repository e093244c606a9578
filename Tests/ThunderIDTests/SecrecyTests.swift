import Foundation
import IdentityKit
import IdentityTesting
import LocalServers
import TestSupport
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Nothing a person, a log or a debugger gets to see shows a secret, whatever the server does.
@Suite struct SecrecyTests {
    /// What fails, in which kind of sign-in, and whether only after it.
    struct Weakness: Sendable, CustomStringConvertible {
        let path: String
        let method: ThunderIDSettings.SignInMethod
        let isLate: Bool

        var description: String { "\(path) \(isLate ? "after" : "in") the \(method) sign-in" }
    }

    private static let weaknesses =
        [
            "/.well-known", "/oauth2/authorize", "/flow/execute", "/oauth2/auth/callback", "/oauth2/token",
            "/oauth2/jwks",
        ]
        .map { Weakness(path: $0, method: .native, isLate: false) } + [
            Weakness(path: "/oauth2/token", method: .redirect, isLate: false),
            Weakness(path: "/oauth2/token", method: .native, isLate: true),
            Weakness(path: "/oauth2/revoke", method: .native, isLate: true),
        ]

    /// What a server says that repeats what it was sent.
    private static let echo = "planted_0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGH"

    private static let faults: [Fault] = [
        .answer(.text("<html>\(echo)", status: 502)), .answer(.text(echo)), .dropAnswer, .truncateAnswer,
        .answerAfterActing(.text("", status: 500)),
        .answer(.json(["error": "invalid_grant", "error_description": .string("No: \(echo)")], status: 400)),
        .answer(.json(["error": .string(echo), "error_description": .string(echo)], status: 401)),
        .answer(
            .json(["code": "XYZ-1", "message": .string(echo), "description": .string("No: \(echo)")], status: 400)),
        .answer(
            .json([
                "executionId": .string(echo), "flowStatus": "ERROR", "data": [:],
                "error": ["code": "XYZ-1", "message": ["defaultValue": .string(echo)]],
            ])),
        .answer(.json(["access_token": .string(echo), "token_type": "Bearer", "id_token": .string("a.\(echo).c")])),
        .answer(.redirect(to: "com.example.app://callback?code=\(echo)&state=\(echo)")),
        .answer(.redirect(to: "http://127.0.0.1:9/gate/error?errorCode=x&errorMessage=\(echo)")),
    ]

    @Test("No fault of the server shows a secret", arguments: weaknesses)
    func faults(weakness: Weakness) async throws {
        let fixture = try await ThunderIDFixture(
            configuration: .init(user: .init(password: "planted-password-of-ada")))
        let wiretap = Wiretap(planted: ["planted-password-of-ada", "planted-wrong-password", Self.echo])
        for fault in Self.faults {
            try await live(fixture, wiretap, weakness, fault)
        }
        for entry in fixture.server.http.log { wiretap.note(entry) }
        // A sign-in that fails at once shows little of either.
        #expect(wiretap.textCount > 10 && (wiretap.secretCount > 20 || !weakness.isLate))
        #expect(wiretap.leak == nil)
        await fixture.server.stop()
    }

    @Test(
        "No forged callback shows the code it carries",
        arguments: [
            "com.example.app://callback?code=CODE&state=wrong", "com.example.app://evil?code=CODE",
            "com.example.app://callback?code=CODE&code=CODE", "com.example.app://callback#code=CODE",
            "com.example.app://callback?access_token=CODE", "com.example.app://callback?CODE=1&CODE=2",
            "com.example.app://callback?error=CODE&error_description=CODE&state=STATE&iss=ISSUER",
            "com.example.app://callback?code=c&state=STATE&iss=CODE", "com.example.app://CODE@callback?code=CODE",
        ])
    func callbacks(template: String) async throws {
        let fixture = try await ThunderIDFixture()
        let wiretap = Wiretap(planted: [Self.echo])
        let browser = ScriptedBrowser { page in
            let state = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems?
                .first { $0.name == "state" }?.value
            let text = template.replacingOccurrences(of: "STATE", with: state ?? "")
                .replacingOccurrences(of: "ISSUER", with: fixture.server.issuer)
                .replacingOccurrences(of: "CODE", with: Self.echo)
            return try #require(URL(string: text))
        }
        let chain = try IdentityProviderChain([.init("work", fixture.provider(method: .redirect, browser: browser))]) {
            wiretap.note($0.description)
            wiretap.note($0)
        }
        do {
            _ = try await chain.signIn(scopes: [], deviceToken: "d")
            Issue.record("signed in")
        } catch {
            wiretap.note(error)
        }
        #expect(wiretap.leak == nil)
        await fixture.server.stop()
    }

    /// One life of a session with one fault in it, every step noted.
    private func live(
        _ fixture: ThunderIDFixture, _ wiretap: Wiretap, _ weakness: Weakness, _ fault: Fault
    ) async throws {
        let prompter = ScriptedPrompter(
            ["username": Secret(fixture.server.user.username), "password": "planted-wrong-password"],
            fixture.credentials)
        let gate = ScriptedGate(username: fixture.server.user.username, password: fixture.server.user.password)
        let browser = ScriptedBrowser { page in
            let callback = try await gate.signIn(at: page)
            wiretap.overhear(Data(callback.absoluteString.utf8))
            return callback
        }
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: TappedTransport(wiretap: wiretap), prompter: prompter,
            webAuthenticator: browser, time: fixture.clock.dates)
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
            clientID: fixture.server.application.clientID,
            redirectURI: fixture.server.application.redirectURIs.first.flatMap(URL.init(string:)),
            method: weakness.method, allowsLoopbackHTTP: true)
        let provider = try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment))
        let chain = try IdentityProviderChain([.init("work", provider)]) {
            wiretap.note($0.description)
            wiretap.note($0)
        }
        func attempt(_ step: () async throws -> Void) async {
            do { try await step() } catch { wiretap.note(error) }
        }

        if !weakness.isLate { fixture.server.http.fail(fault, pathPrefix: weakness.path) }
        await attempt { _ = try await chain.activeAccount(scopes: [], deviceToken: "d") }
        if weakness.isLate { fixture.server.http.fail(fault, pathPrefix: weakness.path) }
        fixture.clock.advance(by: .seconds(3600))
        for _ in 0..<2 {
            await attempt {
                let token = try await chain.accessToken(for: fixture.account, scopes: [])
                _ = try await chain.accessToken(for: fixture.account, scopes: [], replacing: token)
            }
        }
        await attempt {
            _ = try await chain.requestAuthorization(for: fixture.account, scopes: ["phone"], deviceToken: "d")
        }
        await attempt { try await chain.signOut(fixture.account) }
        for attempt in await chain.explain(scopes: [], deviceToken: "d") { wiretap.note(attempt.summary) }
        for prompt in prompter.prompts { wiretap.note(prompt) }
        fixture.server.http.clearFaults()
    }
}

/// The default transport with an ear on it.
private struct TappedTransport: HTTPTransport {
    let wiretap: Wiretap
    let base = URLSessionTransport()

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        wiretap.overhear(request.httpBody ?? Data())
        let (body, response) = try await base.data(for: request)
        wiretap.overhear(body)
        wiretap.overhear(Data((response.value(forHTTPHeaderField: "Location") ?? "").utf8))
        return (body, response)
    }
}
