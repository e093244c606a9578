import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import LocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Nothing a person, a log or a debugger gets to see shows a secret, whatever the server does.
@Suite struct SecrecyTests {
    /// What fails, in which kind of sign-in, and whether only after it.
    struct Weakness: Sendable, CustomStringConvertible {
        let path: String
        let method: InsForgeSettings.SignInMethod
        let isLate: Bool

        var description: String { "\(path) \(isLate ? "after" : "in") the \(method) sign-in" }
    }

    private static let weaknesses = [
        Weakness(path: "/api/auth/users", method: .password, isLate: false),
        Weakness(path: "/api/auth/sessions", method: .password, isLate: false),
        Weakness(path: "/api/auth/oauth/google", method: .oauth(.google), isLate: false),
        Weakness(path: "/api/auth/oauth/exchange", method: .oauth(.google), isLate: false),
        Weakness(path: "/api/auth/refresh", method: .password, isLate: true),
        Weakness(path: "/api/auth/logout", method: .password, isLate: true),
    ]

    /// What a server says that repeats what it was sent.
    private static let echo = "planted_0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGH"

    private static let faults: [Fault] =
        [
            .answer(.text("<html>\(echo)", status: 502)), .answer(.text(echo)), .dropAnswer, .truncateAnswer,
            .answerAfterActing(.text("", status: 500)), .answer(.json(["accessToken": .string(echo)])),
            .answer(.json(["authUrl": .string("http://\(echo).example/")])),
        ]
        + [
            (400, "INVALID_INPUT"), (401, "AUTH_UNAUTHORIZED"), (403, "FORBIDDEN"), (403, "OTHER"),
            (404, "AUTH_USER_NOT_FOUND"), (429, "TOO_MANY_REQUESTS"), (500, "AUTH_OAUTH_CONFIG_ERROR"), (500, echo),
        ].map { status, code in
            .answer(
                .json(
                    [
                        "error": .string(code), "message": .string("Bad token \(echo)"),
                        "statusCode": .integer(Int64(status)),
                    ],
                    status: status))
        }

    @Test("No fault of the server shows a secret", arguments: weaknesses)
    func faults(weakness: Weakness) async throws {
        let fixture = try await InsForgeFixture { $0.user.password = "planted-password-of-robin" }
        let wiretap = Wiretap(planted: ["planted-password-of-robin", "planted-wrong-password", Self.echo])
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
            "example://callback?insforge_code=CODE&insforge_code=CODE", "example://evil?insforge_code=CODE",
            "example://callback#insforge_code=CODE", "example://callback?access_token=CODE",
            "example://callback?insforge_code=CODE&error=CODE", "example://callback?error=CODE",
            "example://callback?CODE=1&CODE=2", "example://CODE@callback?insforge_code=CODE",
            "example://callback?insforge_code=CODE",
        ])
    func callbacks(template: String) async throws {
        let fixture = try await InsForgeFixture()
        let wiretap = Wiretap(planted: [Self.echo])
        let browser = ScriptedBrowser { _ in
            try #require(URL(string: template.replacingOccurrences(of: "CODE", with: Self.echo)))
        }
        let provider = try fixture.provider(method: .oauth(.google), browser: browser)
        let chain = try IdentityProviderChain([.init("home", provider)]) {
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
        _ fixture: InsForgeFixture, _ wiretap: Wiretap, _ weakness: Weakness, _ fault: Fault
    ) async throws {
        let prompter = ScriptedPrompter(
            ["email": Secret(fixture.server.user.email), "password": "planted-wrong-password"], fixture.credentials)
        let person = ScriptedOAuthBrowser(server: fixture.server)
        let browser = ScriptedBrowser { page in
            let callback = try await person.follow(page)
            wiretap.overhear(Data(callback.absoluteString.utf8))
            return callback
        }
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: TappedTransport(wiretap: wiretap), prompter: prompter,
            webAuthenticator: browser, time: fixture.clock.dates)
        let settings = InsForgeSettings(
            baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
            anonKey: fixture.server.anonKey, method: weakness.method, redirectURI: URL(string: "example://callback"))
        let provider = InsForgeProvider(
            settings: settings, context: ProviderContext(name: "home", environment: environment))
        let chain = try IdentityProviderChain([.init("home", provider)]) {
            wiretap.note($0.description)
            wiretap.note($0)
        }
        func attempt(_ step: () async throws -> Void) async {
            do { try await step() } catch { wiretap.note(error) }
        }

        if !weakness.isLate { fixture.server.http.fail(fault, pathPrefix: weakness.path) }
        await attempt {
            wiretap.note(
                try await provider.signUp(
                    email: "\(UUID().uuidString)@example.org", password: "planted-password-of-robin"))
        }
        await attempt { _ = try await chain.signIn(scopes: [], deviceToken: "d") }
        if weakness.isLate { fixture.server.http.fail(fault, pathPrefix: weakness.path) }
        fixture.clock.advance(by: .seconds(15 * 60))
        for _ in 0..<2 {
            await attempt {
                let token = try await chain.accessToken(for: fixture.account, scopes: [])
                _ = try await chain.accessToken(for: fixture.account, scopes: [], replacing: token)
            }
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
        return (body, response)
    }
}
