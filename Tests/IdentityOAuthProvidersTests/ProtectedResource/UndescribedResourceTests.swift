import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Servers of the Model Context Protocol of 2025-03-26, which do not describe themselves, and resources that change their
/// server.
@Suite("A resource that does not say who issues tokens for it", .endsInTime) struct UndescribedResourceTests {
    /// A server that has nothing but what `more` has, and passes the usual endpoints on to the local server.
    private func elder(_ more: @escaping MCPFixture.Behaviour = { _, _, _ in nil }) async throws -> MCPFixture {
        try await MCPFixture { request, base, issuer in
            if let response = more(request, base, issuer) { return response }
            switch request.path {
            case "/mcp":
                return request.authorization == nil
                    ? LocalResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")]) : .json(["ok": true])
            case "/register": return .json(["client_id": "elder"], status: 201)
            case "/token": return .json(["access_token": "t", "token_type": "Bearer", "expires_in": 60])
            default: return LocalResponse(status: 404)
            }
        }
    }

    /// Sends the browser back at once.
    private let browser = ScriptedBrowser { page in
        let parts = try #require(URLComponents(url: page, resolvingAgainstBaseURL: true))
        func value(_ name: String) -> String { parts.queryItems?.first { $0.name == name }?.value ?? "" }
        #expect(value("code_challenge_method") == "S256")
        return try #require(URL(string: value("redirect_uri") + "?code=c&state=" + value("state")))
    }

    @Test("The usual endpoints of its origin are used, and that is told first")
    func usualEndpoints() async throws {
        let fixture = try await elder()
        let pages = Locked<[WebAuthenticationRequest]>([])
        let events = EventNames()
        let client = try fixture.client(
            browser: NoticingBrowser(base: browser, pages: pages), observers: [events])
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        let page = try #require(pages.withLock { $0 }.first)
        #expect(page.url.absoluteString.hasPrefix(fixture.base + "/authorize?"))
        let notice = try #require(page.notice)
        #expect(notice.contains("127.0.0.1") && notice.contains("does not describe itself"))
        await events.wait(for: "resource.undescribed")
        // A name is sent although none is configured.
        #expect(fixture.clientName?.isEmpty == false)
        await fixture.stop()
    }

    @Test("The origin's own metadata come first")
    func ownMetadata() async throws {
        let fixture = try await elder { request, base, _ in
            guard request.path == "/.well-known/oauth-authorization-server" else { return nil }
            return .json([
                "issuer": .string(base), "authorization_endpoint": .string(base + "/go"),
                "token_endpoint": .string(base + "/token"), "registration_endpoint": .string(base + "/register"),
                "code_challenge_methods_supported": ["S256"],
            ])
        }
        let pages = Locked<[WebAuthenticationRequest]>([])
        try await fixture.client(browser: NoticingBrowser(base: browser, pages: pages)).signIn()
        #expect(pages.withLock { $0 }.first?.url.path == "/go")
        await fixture.stop()
    }

    @Test(
        "Nothing is guessed while anything else than 404 and 410 is at a place, or the resource names one",
        arguments: [401, 403, 405, 500, 200])
    func noGuess(status: Int) async throws {
        for place in [MCPFixture.ownDocument, MCPFixture.rootDocument, "/mcp"] {
            let fixture = try await elder { request, base, _ in
                guard request.path == place else { return nil }
                if place == "/mcp" { return MCPFixture.challenge(base) }
                return .text("no", status: status)
            }
            let error = await #expect(throws: (any Error).self) { try await fixture.client(browser: browser).signIn() }
            #expect(error?.identityFailureCode == "resource_not_described")
            #expect(fixture.words(at: "/register").isEmpty)
            await fixture.stop()
        }
    }

    @Test("Nothing is guessed where the origin's metadata cannot be used", arguments: [500, 200])
    func noGuessAtServer(status: Int) async throws {
        let fixture = try await elder { request, _, _ in
            request.path == "/.well-known/oauth-authorization-server" ? .text("no", status: status) : nil
        }
        await #expect(throws: (any Error).self) { try await fixture.client(browser: browser).signIn() }
        #expect(fixture.words(at: "/register").isEmpty)
        await fixture.stop()
    }

    @Test("A resource that fails, or does not respond in time, may say so later")
    func down() async throws {
        let fixture = try await MCPFixture { request, _, _ in
            LocalResponse(status: request.path == "/mcp" ? 503 : 404)
        }
        let client = try fixture.client()
        let failure = await #expect(throws: (any Error).self) { try await client.signIn() }
        #expect(failure?.identityFailureCode == "resource_not_described")
        #expect(failure?.identityFailureClass == .transient)

        let gate = AnswerGate()
        fixture.mcp.fail(.holdAnswer(gate), pathPrefix: "/mcp")
        let signIn = Task { try await client.signIn() }
        await gate.waitForAnswer()
        fixture.notes.fixture.clock.advance(by: .seconds(5))
        let delay = await #expect(throws: (any Error).self) { try await signIn.value }
        gate.open()
        #expect(delay?.identityFailureCode == "request_timed_out")
        await fixture.stop()
    }

    @Test("Nothing is guessed at a resource that has described itself before")
    func remembered() async throws {
        let fixture = try await MCPFixture()
        try await fixture.client().signIn()
        fixture.behave { request, _, _ in
            switch request.path {
            case "/mcp": LocalResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")])
            case "/register": .json(["client_id": "elder"], status: 201)
            default: LocalResponse(status: 404)
            }
        }
        let restarted = try fixture.client(browser: browser)
        let error = await #expect(throws: (any Error).self) {
            try await restarted.signIn(with: "notes", options: .init(prompt: "login"))
        }
        #expect(error?.identityFailureCode == "resource_not_described")
        await fixture.stop()
    }

    @Test("A sign-out that fails forgets no server: another one is still asked about")
    func failedSignOut() async throws {
        let (fixture, other) = (try await MCPFixture(), try await ResourceFixture())
        let store = FaultyTokenStore(fixture.store)
        let client = try fixture.client(store: store)
        try await client.signIn()
        store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "x"))
        await #expect(throws: (any Error).self) { try await client.signOut() }
        store.heal()
        fixture.behave { [issuer = other.server.issuer] request, base, _ in
            request.path == MCPFixture.ownDocument ? MCPFixture.document(base + "/mcp", issuer) : nil
        }
        let restarted = try fixture.client(browser: other.fixture.browser, store: store)
        let refusal = await #expect(throws: (any Error).self) {
            try await restarted.signIn(with: "notes", options: .init(prompt: "login"))
        }
        #expect(refusal?.identityFailureCode == "resource_server_changed")
        #expect(other.pages == 0)
        await fixture.stop()
        await other.server.stop()
    }

    @Test("Another server than last time is told, and asked about: nothing of the former one is used")
    func otherServer() async throws {
        let (fixture, other) = (try await MCPFixture(), try await ResourceFixture())
        try await fixture.client().signIn()
        fixture.behave { [issuer = other.server.issuer] request, base, _ in
            request.path == MCPFixture.ownDocument ? MCPFixture.document(base + "/mcp", issuer) : nil
        }
        func again(_ prompter: (any FlowPrompter)?, _ events: EventNames = EventNames()) async throws {
            let client = try fixture.client(prompter: prompter, browser: other.fixture.browser, observers: [events])
            try await client.signIn(with: "notes", options: .init(prompt: "login"))
        }
        let events = EventNames()
        let refusal = await #expect(throws: (any Error).self) { try await again(nil, events) }
        #expect(refusal?.identityFailureCode == "resource_server_changed")
        await events.wait(for: "resource.server_changed")
        await #expect(throws: (any Error).self) { try await again(ScriptedPrompter([PromptAnswer(values: [:])])) }
        #expect(other.pages == 0 && other.server.counters.registrations == 0)

        let prompter = ScriptedPrompter([PromptAnswer(values: [:], action: "continue")])
        try await again(prompter)
        #expect(prompter.prompts.first?.message?.contains("127.0.0.1") == true)
        #expect(other.pages == 1 && other.server.counters.registrations == 1)
        #expect(other.fixture.requests(to: "/authorize").first?["id_token_hint"] == nil)
        // The answer is remembered.
        try await again(nil)
        await other.server.stop()
        await fixture.stop()
    }

    @Test("Another server than last time is not believed while an earlier place fails, and the session stays")
    func otherServerInDoubt() async throws {
        let (fixture, other) = (try await MCPFixture(), try await ResourceFixture())
        try await fixture.client().signIn()
        fixture.behave { [issuer = other.server.issuer] request, base, _ in
            switch request.path {
            case MCPFixture.ownDocument: LocalResponse(status: 503)
            case MCPFixture.rootDocument: MCPFixture.document(base, issuer)
            default: nil
            }
        }
        fixture.notes.fixture.clock.advance(by: .seconds(3600))
        let client = try fixture.client()
        let error = await #expect(throws: (any Error).self) { try await client.data(for: fixture.request()) }
        #expect(error?.identityFailureClass == .transient)
        fixture.behave { _, _, _ in nil }
        fixture.notes.fixture.clock.advance(by: .seconds(60))
        #expect(try await client.data(for: fixture.request()).1.statusCode == 200)
        #expect(fixture.notes.server.counters.refreshes == 1)
        await other.server.stop()
        await fixture.stop()
    }

    @Test("A configured issuer is never replaced")
    func configured() async throws {
        let other = try await ResourceFixture()
        let fixture = try await MCPFixture { [issuer = other.server.issuer] request, base, _ in
            request.path == MCPFixture.ownDocument ? MCPFixture.document(base + "/mcp", issuer) : nil
        }
        let client = try fixture.client(["issuer": .string(fixture.notes.server.issuer)])
        let error = await #expect(throws: (any Error).self) {
            try await client.data(for: fixture.request(), mayShowSignIn: true)
        }
        #expect(error?.identityFailureCode == "resource_other_authorization_server")
        #expect(other.pages == 0)
        await other.server.stop()
        await fixture.stop()
    }
}

/// Records what is told of the pages.
struct NoticingBrowser: WebAuthenticator {
    let base: ScriptedBrowser
    let pages: Locked<[WebAuthenticationRequest]>

    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        pages.withLock { $0.append(request) }
        return try await base.authenticate(request)
    }

    func redirectURI(for registered: URL) async throws -> URL { try await base.redirectURI(for: registered) }
}

/// The names of the events so far.
final class EventNames: IdentityObserver {
    private let names = AsyncStream<String>.makeStream()

    func observe(_ event: ObservedEvent) { names.continuation.yield(event.name) }

    /// Returns once there was an event of this name.
    func wait(for name: String) async {
        for await event in names.stream where event == name { return }
    }
}
