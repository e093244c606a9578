import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// A server with tokens for several resources under one refresh token, which rotates and may be used once.
private final class ResourceBackend: Sendable {
    enum Answer: Sendable {
        case answer, repeatToken, loseAnswer
        case refuse(String)
        case askForPerson(String)
        case refuseAmbiguously(String)
        case refuseClient(String)
    }

    private struct State: Sendable {
        var current = 0
        var script: [Answer] = []
        var requests: [(token: String, resource: String?)] = []
        var replays = 0
    }

    private let state = Locked(State())
    private let clock: ManualClock

    init(clock: ManualClock) { self.clock = clock }

    func script(_ answers: Answer...) { state.withLock { $0.script += answers } }
    var resources: [String?] { state.withLock { $0.requests.map(\.resource) } }
    var refreshTokens: [String] { state.withLock { $0.requests.map(\.token) } }
    var replays: Int { state.withLock { $0.replays } }

    func refresh(_ credential: Credential, _ context: RefreshContext) async throws -> RefreshResult {
        let resource = context.wish?.resource
        let sent = credential.refreshToken?.reveal() ?? ""
        let answer = try await context.spend { () async throws -> (Answer, Int) in
            let (answer, number) = state.withLock { state -> (Answer, Int) in
                let answer = state.script.isEmpty ? .answer : state.script.removeFirst()
                state.requests.append((sent, resource))
                if sent != "refresh-\(state.current)" { state.replays += 1 }
                switch answer {
                case .answer, .repeatToken, .loseAnswer: state.current += 1
                case .refuse, .askForPerson, .refuseAmbiguously, .refuseClient: break
                }
                return (answer, state.current)
            }
            if case .loseAnswer = answer { throw TransportError.timedOut(host: "id.example.com", after: .seconds(30)) }
            return (answer, number)
        }
        switch answer.0 {
        case .refuse(let code):
            return .stepUpNeeded(TestError(failureCode: code, failureClass: .definitive))
        case .askForPerson(let code):
            return .personNeeded(TestError(failureCode: code, failureClass: .definitive))
        case .refuseAmbiguously(let code):
            return .ambiguous(TestError(failureCode: code, failureClass: .definitive))
        case .refuseClient(let code):
            return .misconfigured(TestError(failureCode: code, failureClass: .definitive))
        case .answer, .repeatToken, .loseAnswer: break
        }
        var number = answer.1
        if case .repeatToken = answer.0 { number -= 1 }
        return .refreshed(
            credential.answered(
                refreshToken: "refresh-\(answer.1)", accessToken: "\(resource ?? "own")-\(number)", to: context,
                at: clock.now))
    }
}

@Suite("Several tokens from one session", .endsInTime)
struct ResourceSessionsTests {
    private let clock = ManualClock()
    private let store = MemoryTokenStore()
    private let monitor = RefreshMonitor()
    private let backend: ResourceBackend
    private let account = AccountID(account: "ada", realm: "work")

    init() { backend = ResourceBackend(clock: clock) }

    /// What one process has.
    private func sessions(
        _ style: TokensByResource? = .rfc8707, replay: ReplayPolicy = .never
    ) -> ProviderSessions {
        var requests = SessionBackend(origin: .anyone(at: "https://id.example.com"), replay: replay) {
            [backend] in try await backend.refresh($0, $1)
        }
        requests.tokensByResource = style
        let environment = IdentityEnvironment(store: store, refreshMonitor: monitor, time: clock.dates)
        return ProviderSessions(requests, in: ProviderContext(name: "work", environment: environment))
    }

    private func begun(
        _ style: TokensByResource? = .rfc8707, replay: ReplayPolicy = .never, holding tokens: [ResourceToken] = []
    ) async throws -> ProviderSessions {
        let sessions = sessions(style, replay: replay)
        var credential = Credential(
            accessToken: "own-0", refreshToken: "refresh-0", scopes: ["read"], issuedAt: clock.now,
            expiresAt: clock.now + 3600, signedInAt: clock.now, backend: "https://id.example.com")
        for token in tokens { credential.file(token) }
        try await sessions.begin(credential, for: account)
        return sessions
    }

    /// A token for `https://a.example` that was issued now.
    private func issued(_ text: String, scopes: Set<String> = [], for life: TimeInterval = 3600) -> ResourceToken {
        ResourceToken(
            key: TokenKey(resource: "https://a.example", scopes: scopes), accessToken: Secret(text), scopes: scopes,
            issuedAt: clock.now, expiresAt: clock.now + life)
    }

    private func token(
        _ sessions: ProviderSessions, _ resource: String? = nil, scopes: Set<String> = [], replacing: String? = nil
    ) async throws -> String {
        try await sessions.accessToken(
            for: account, scopes: scopes, resource: resource, freshness: TokenFreshness(replacing: replacing))
    }

    private func code(_ work: () async throws -> String) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch { return (error as? any IdentityFailure)?.failureCode }
    }

    @Test("Each resource gets its token, in turn, each with the refresh token of the one before")
    func inTurn() async throws {
        let sessions = try await begun()
        let names = ["https://a.example", "https://b.example", "https://c.example"]
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<24 {
                let name = names[number % 3]
                group.addTask { (name, try await token(sessions, name)) }
            }
            for try await (name, token) in group { #expect(token.hasPrefix(name + "-")) }
        }
        #expect(Set(backend.resources) == Set(names) && backend.resources.count == 3)
        #expect(backend.refreshTokens == ["refresh-0", "refresh-1", "refresh-2"])
        #expect(backend.replays == 0)
        #expect(try await token(sessions) == "own-0")
    }

    @Test("A token for a resource is refreshed early, also where its record is known from a read before")
    func earlyWhenKnown() async throws {
        // Of 40 seconds the last 16 to 20 are for an early refresh, and a record is known for 30 seconds.
        let sessions = try await begun(holding: [issued("short", for: 40)])
        #expect(try await token(sessions, "https://a.example") == "short")
        clock.advance(by: .seconds(15))
        #expect(try await token(sessions, "https://a.example") == "short" && backend.resources.isEmpty)
        clock.advance(by: .seconds(10))
        #expect(try await token(sessions, "https://a.example") == "https://a.example-1")
    }

    @Test("Of several tokens for a resource the one with the fewest scopes is used, read now or before")
    func fewestScopes() async throws {
        let sessions = try await begun(
            .entra, holding: [issued("wide", scopes: ["read", "write"]), issued("narrow", scopes: ["read"])])
        for _ in 1...2 { #expect(try await token(sessions, "https://a.example", scopes: ["read"]) == "narrow") }
        #expect(try await token(sessions, "https://a.example", scopes: ["read", "write"]) == "wide")
        #expect(backend.resources.isEmpty)
    }

    @Test("Another process serves what is stored, and a new token for one resource refreshes no other")
    func otherReaders() async throws {
        let (one, two) = (try await begun(), sessions())
        let first = try await token(one, "https://a.example")
        #expect(try await token(two, "https://a.example") == first)
        _ = try await token(two, "https://b.example")
        #expect(try await token(one, "https://a.example") == first)
        #expect(try await token(one) == "own-0" && backend.resources.count == 2)
    }

    @Test("Events say for which resource a token is refreshed, without its query, and name none for the session's own")
    func events() async throws {
        let (sessions, recorder) = (try await begun(), EventRecorder())
        monitor.observers.add(recorder)
        _ = try await token(sessions, "https://a.example/notes?key=1")
        for name in ["refresh.began", "session.refreshed", "refresh.stored"] {
            #expect(await recorder.first(name).details[.resource] == "https://a.example/notes")
        }
        #expect(
            await recorder.first("session.refreshed").description
                == "the session of work/ada has a new access token for https://a.example/notes")
        let next = EventRecorder()
        monitor.observers.add(next)
        _ = try await token(sessions, replacing: "own-0")
        #expect(await next.first("refresh.stored").details[.resource] == nil)
        let record = try #require(try await store.record(for: .account(account)))
        guard case .live(let details)? = try AccountSummary(record, at: clock.now)?.session else { throw TestError() }
        #expect(details.resources == ["https://a.example/notes?key=1": clock.now])
    }

    @Test("The session's own refresh keeps the tokens for resources")
    func ownRefresh() async throws {
        let sessions = try await begun()
        let first = try await token(sessions, "https://a.example")
        #expect(try await token(sessions, replacing: "own-0") == "own-2")
        #expect(try await token(sessions, "https://a.example") == first)
        #expect(backend.resources == ["https://a.example", nil] && backend.replays == 0)
    }

    @Test("A resource that refuses its token gets another one, and the other tokens stay")
    func refusedToken() async throws {
        let sessions = try await begun()
        let (a, b) = (try await token(sessions, "https://a.example"), try await token(sessions, "https://b.example"))
        let other = try await token(sessions, "https://a.example", replacing: a)
        #expect(other != a && backend.resources.count == 3)
        // Somebody else who was refused the same token asks nobody.
        #expect(try await token(sessions, "https://a.example", replacing: a) == other)
        #expect(try await token(sessions, "https://b.example") == b)
        #expect(try await token(sessions) == "own-0" && backend.resources.count == 3)
    }

    @Test("A token for a resource that ends too soon for its caller is replaced, and a new one is taken as it is")
    func freshness() async throws {
        let sessions = try await begun()
        func fresh(_ freshness: TokenFreshness) async throws -> String {
            try await sessions.accessToken(
                for: account, scopes: [], resource: "https://a.example", freshness: freshness)
        }
        #expect(try await fresh(.any) == "https://a.example-1")
        #expect(try await fresh(.lasting(.seconds(60))) == "https://a.example-1")
        #expect(try await fresh(.lasting(.seconds(86_400))) == "https://a.example-2")
        #expect(try await fresh(.new) == "https://a.example-3")
        #expect(try await fresh(.any) == "https://a.example-3")
        backend.script(.repeatToken)
        #expect(try await fresh(.new) == "https://a.example-3")
        #expect(try await token(sessions) == "own-0" && backend.resources.count == 4)
    }

    @Test(
        "A refusal is the resource's for an hour: nothing else rests, and the session is not suspended",
        arguments: [
            ResourceBackend.Answer.refuse("invalid_target"), .askForPerson("interaction_required"),
            .refuseAmbiguously("access_denied"), .refuseClient("unauthorized_client"),
        ])
    fileprivate func refusedResource(answer: ResourceBackend.Answer) async throws {
        let sessions = try await begun()
        backend.script(answer)
        for process in [sessions, self.sessions()] {
            #expect(await code { try await token(process, "https://a.example") } == "resource_not_granted")
        }
        #expect(backend.resources.count == 1)
        #expect(try await token(sessions, "https://b.example") == "https://b.example-1")
        #expect(try await token(sessions, replacing: "own-0") == "own-2")
        clock.advance(by: .seconds(3600))
        #expect(try await token(sessions, "https://a.example") == "https://a.example-3")
        #expect(backend.replays == 0)
    }

    @Test(
        "After a lost response no resource is asked for while the session's own token works, and what is valid is served"
    )
    func inDoubt() async throws {
        let sessions = try await begun()
        let known = try await token(sessions, "https://a.example")
        backend.script(.loseAnswer)
        #expect(await code { try await token(sessions, "https://b.example") } != nil)
        clock.advance(by: .seconds(120))
        for process in [sessions, self.sessions()] {
            #expect(await code { try await token(process, "https://b.example") } == "refresh_in_progress")
            #expect(await code { try await token(process, "https://c.example") } == "refresh_in_progress")
            #expect(try await token(process, "https://a.example") == known)
            #expect(try await token(process) == "own-0")
        }
        #expect(backend.resources.count == 2 && backend.replays == 0)
    }

    @Test("After a token was sent twice, another one is asked for only when the first request cannot arrive any more")
    func heldBack() async throws {
        let sessions = try await begun(replay: .parentAlways)
        backend.script(.loseAnswer)
        #expect(await code { try await token(sessions, "https://a.example") } != nil)
        clock.advance(by: .seconds(600))
        _ = try await token(sessions, "https://a.example")
        #expect(backend.refreshTokens == ["refresh-0", "refresh-0"])
        for process in [sessions, self.sessions(replay: .parentAlways)] {
            #expect(await code { try await token(process, "https://b.example") } == "refresh_postponed")
            #expect(try await token(process) == "own-0")
        }
        clock.advance(by: .seconds(60))
        _ = try await token(sessions, "https://b.example")
        #expect(backend.refreshTokens == ["refresh-0", "refresh-0", "refresh-2"])
    }

    @Test("Scopes that the session lacks take a step-up, and nothing is sent")
    func stepUp() async throws {
        let sessions = try await begun()
        #expect(
            await code { try await token(sessions, "https://a.example", scopes: ["mail"]) } == "insufficient_scope")
        #expect(backend.resources.isEmpty)
    }

    @Test("A server with one token for all gives its own; one that knows no resources, or has one audience, none")
    func styles() async throws {
        #expect(try await token(begun(.some(.none)), "https://a.example") == "own-0")
        for style in [nil, TokensByResource.okta] {
            let sessions = try await begun(style)
            #expect(await code { try await token(sessions, "https://a.example") } == "resource_not_granted")
        }
        let sessions = try await begun()
        for name in ["", "a b", "https://ä.example"] {
            #expect(await code { try await token(sessions, name) } == "resource_not_granted")
        }
        #expect(backend.resources.isEmpty)
    }

    @Test("A session that cannot be refreshed gets no token for a resource, and is asked for no sign-in")
    func withoutRefreshToken() async throws {
        let sessions = try await begun()
        var session = try #require(try await sessions.storedCredential(of: account))
        session.refreshToken = nil
        try await sessions.begin(session, for: account)
        #expect(await code { try await token(sessions, "https://a.example") } == "resource_not_granted")
        #expect(try await token(sessions) == "own-0" && backend.resources.isEmpty)
    }

    @Test("A sign-out ends all tokens in one write")
    func signOut() async throws {
        let sessions = try await begun()
        _ = try await token(sessions, "https://a.example")
        let former = try await sessions.end(account)
        #expect(former?.tokens.count == 1)
        #expect(await code { try await token(sessions, "https://a.example") } == "not_signed_in")
    }
}
