import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// A server that gives tokens for one resource to an authorization. Each has a refresh token that rotates and may be used once.
private final class GrantBackend: Sendable {
    enum Answer: Sendable { case answer, loseAnswer, refuse }

    private struct State: Sendable {
        /// The number of the refresh token of each authorization.
        var current: [String: Int] = [:]
        var script: [Answer] = []
        var sent: [String] = []
        var revoked: [String] = []
        var replays = 0
    }

    private let state = Locked(State())
    private let clock: ManualClock

    init(clock: ManualClock) { self.clock = clock }

    func script(_ answers: Answer...) { state.withLock { $0.script += answers } }
    var sent: [String] { state.withLock { $0.sent } }
    var revoked: [String] { state.withLock { $0.revoked } }
    var replays: Int { state.withLock { $0.replays } }
    func revoke(_ credential: Credential) {
        let tokens = [credential.refreshToken?.reveal() ?? ""] + credential.tokens.map { $0.accessToken.reveal() }
        state.withLock { $0.revoked += tokens }
    }

    func refresh(_ credential: Credential, _ context: RefreshContext) async throws -> RefreshResult {
        let sent = credential.refreshToken?.reveal() ?? ""
        let name = String(sent.prefix { $0 != "-" })
        let answer = try await context.spend { () async throws -> (Answer, Int) in
            let (answer, number) = state.withLock { state -> (Answer, Int) in
                let answer = state.script.isEmpty ? .answer : state.script.removeFirst()
                state.sent.append(sent)
                if sent != "\(name)-\(state.current[name] ?? 0)" { state.replays += 1 }
                if answer != .refuse { state.current[name, default: 0] += 1 }
                return (answer, state.current[name] ?? 0)
            }
            if answer == .loseAnswer { throw TransportError.timedOut(host: "id.example.com", after: .seconds(30)) }
            return (answer, number)
        }
        guard answer.0 != .refuse else { return .refused(reason: "No.") }
        return .refreshed(
            credential.answered(
                refreshToken: "\(name)-\(answer.1)", accessToken: "\(name)-access-\(answer.1)", to: context,
                at: clock.now))
    }
}

@Suite("A session with a second authorization", .endsInTime)
struct GrantTests {
    private static let (notes, files) = ("https://notes.example", "https://files.example")
    private let clock = ManualClock()
    private let store = FaultyTokenStore()
    private let monitor = RefreshMonitor()
    private let backend: GrantBackend
    private let account = AccountID(account: "ada", realm: "work")

    init() { backend = GrantBackend(clock: clock) }

    /// The sessions of one process.
    private func sessions(_ time: TimeSource? = nil) -> ProviderSessions {
        var requests = SessionBackend(
            origin: .anyone(at: "https://id.example.com"), discard: { [backend] in backend.revoke($0) },
            areIndependent: { _, _ in true }, revoke: { [backend] in backend.revoke($0) }
        ) { [backend] in try await backend.refresh($0, $1) }
        requests.tokensByResource = .rfc8707
        let environment = IdentityEnvironment(store: store, refreshMonitor: monitor, time: time ?? clock.dates)
        return ProviderSessions(requests, in: ProviderContext(name: "work", environment: environment))
    }

    private func credential(_ name: String, scopes: Set<String> = ["read"], of resource: String? = nil) -> Credential {
        var credential = Credential(
            accessToken: Secret("\(name)-access-0"), refreshToken: Secret("\(name)-0"), scopes: scopes,
            issuedAt: clock.now, expiresAt: clock.now + 3600, signedInAt: clock.now, backend: "https://id.example.com")
        if let resource {
            credential.agreedResources = [resource]
            credential.file(
                ResourceToken(
                    key: TokenKey(resource: resource), accessToken: credential.accessToken, scopes: scopes,
                    audience: [resource], issuedAt: clock.now, expiresAt: clock.now + 3600))
        }
        return credential
    }

    @Test("An authorization that could not be added is revoked only if the stored session is known")
    func dropped() async throws {
        let sessions = try await begun()
        store.fail(.read, with: TokenStoreError.unreadable(path: "p", detail: "EIO"))
        await sessions.drop(credential("mail"), of: account)
        #expect(backend.revoked.isEmpty)
        store.heal()
        await sessions.drop(credential("mail"), of: account)
        #expect(backend.revoked == ["mail-0"])
    }

    /// A session that `notes` was added to.
    private func begun() async throws -> ProviderSessions {
        let sessions = sessions()
        try await sessions.begin(credential("own"), for: account)
        try await sessions.add(credential("notes", of: Self.notes), to: account)
        return sessions
    }

    private func token(
        _ sessions: ProviderSessions, _ resource: String? = nil, scopes: Set<String> = [], replacing: String? = nil
    ) async throws -> String {
        try await sessions.accessToken(
            for: account, scopes: scopes, resource: resource, freshness: TokenFreshness(replacing: replacing))
    }

    /// The session's own token, which works, and ends too soon for this caller.
    private func longer(_ sessions: ProviderSessions) async throws -> String {
        try await sessions.accessToken(for: account, scopes: [], freshness: .lasting(.seconds(7200)))
    }

    private func code(_ work: () async throws -> String) async -> String? {
        do {
            _ = try await work()
            return nil
        } catch { return (error as? any IdentityFailure)?.failureCode }
    }

    private func stored() async throws -> Credential {
        try #require(try await sessions().storedCredential(of: account))
    }

    @Test("Each authorization brings its tokens with its own refresh token, and changes nothing of the other")
    func apart() async throws {
        let (one, two) = (try await begun(), sessions())
        #expect(try await token(one, Self.notes) == "notes-access-0")
        #expect(try await token(two) == "own-access-0")
        #expect(backend.sent.isEmpty)
        #expect(try await token(one, Self.notes, replacing: "notes-access-0") == "notes-access-1")
        #expect(try await token(two, replacing: "own-access-0") == "own-access-1")
        #expect(try await token(one, Self.notes, replacing: "notes-access-1") == "notes-access-2")
        #expect(try await token(two, Self.files) == "own-access-2")
        for process in [one, two, sessions()] {
            #expect(try await token(process, Self.notes) == "notes-access-2")
            #expect(try await token(process) == "own-access-1")
        }
        #expect(backend.sent == ["notes-0", "own-0", "notes-1", "own-1"] && backend.replays == 0)
        let session = try await stored()
        #expect(session.refreshToken == "own-2" && session.grants.map(\.credential.refreshToken) == ["notes-2"])
    }

    @Test("A reader that knows no second authorization finds the session as it was, and keeps the other when it writes")
    func formerReaders() async throws {
        _ = try await begun()
        let record = try #require(try await store.record(for: .account(account)))
        var document = try JSONValue(parsing: try #require(record.content))
        #expect(document["credential"]?["accessToken"] == "own-access-0")
        #expect(document["credential"]?["refreshToken"] == "own-0")
        // As the former version refreshes: what it does not know it writes again.
        guard case .object(var members)? = document["credential"] else { throw TestError() }
        (members["accessToken"], members["refreshToken"], members["tokensSince"]) = ("own-access-1", "own-1", nil)
        document = ["credential": .object(members)]
        try await store.write(JSONEncoder().encode(document), for: record.key, replacing: record.generation)
        #expect(try await token(sessions(), Self.notes, replacing: "notes-access-0") == "notes-access-1")
        #expect(try await token(sessions()) == "own-access-1" && backend.replays == 0)
    }

    @Test("While one authorization is in doubt nothing of it is sent, and the other goes on")
    func doubt() async throws {
        let sessions = try await begun()
        backend.script(.loseAnswer)
        #expect(await code { try await token(sessions, Self.notes, replacing: "notes-access-0") } != nil)
        clock.advance(by: .seconds(120))
        for (number, process) in [sessions, self.sessions()].enumerated() {
            let own = number == 0 ? "own-access-0" : "own-access-1"
            #expect(try await token(process, replacing: own) == "own-access-\(number + 1)")
            let again = await code { try await token(process, Self.notes, replacing: "notes-access-0") }
            #expect(again == "refresh_in_progress")
            #expect(try await token(process, Self.notes) == "notes-access-0")
        }
        #expect(backend.sent == ["notes-0", "own-0", "own-1"] && backend.replays == 0)
        // And the other way round.
        backend.script(.loseAnswer)
        #expect(await code { try await token(sessions, replacing: "own-access-2") } != nil)
        try await sessions.add(credential("files", of: Self.files), to: account)
        clock.advance(by: .seconds(120))
        #expect(try await token(sessions, Self.files, replacing: "files-access-0") == "files-access-1")
        #expect(await code { try await longer(self.sessions()) } == "refresh_in_progress")
        #expect(backend.sent.filter { $0 == "own-2" }.count == 1)
    }

    @Test("A server that refuses the second one's refresh token ends that alone, and its resource takes a person")
    func endOfSecond() async throws {
        let sessions = try await begun()
        backend.script(.refuse)
        let refused = await code { try await token(sessions, Self.notes, replacing: "notes-access-0") }
        #expect(refused == "resource_not_granted")
        #expect(try await token(self.sessions()) == "own-access-0")
        #expect(try await stored().grants.isEmpty)
        guard case .found(account) = try await sessions.lookUp(account) else { throw TestError() }
    }

    @Test("A session ends with its last authorization; without the first one its own token takes a sign-in")
    func endOfFirst() async throws {
        let sessions = try await begun()
        backend.script(.refuse)
        #expect(await code { try await token(sessions, replacing: "own-access-0") } == "session_suspended")
        for process in [sessions, self.sessions()] {
            #expect(await code { try await token(process, replacing: "own-access-0") } == "session_suspended")
            #expect(await code { try await token(process, Self.files) } == "session_suspended")
        }
        #expect(try await token(sessions, Self.notes, replacing: "notes-access-0") == "notes-access-1")
        #expect(backend.sent == ["own-0", "notes-0"])
        backend.script(.refuse)
        #expect(await code { try await token(sessions, Self.notes, replacing: "notes-access-1") } == "session_ended")
        #expect(await code { try await token(self.sessions()) } == "session_ended")
    }

    @Test("A new sign-in keeps the second authorization, and a sign-out revokes each and erases every note")
    func signInAndOut() async throws {
        let sessions = try await begun()
        _ = try await token(sessions, Self.notes, replacing: "notes-access-0")
        try await sessions.begin(credential("new"), for: account)
        #expect(backend.revoked == ["own-0"])
        #expect(try await token(sessions, Self.notes) == "notes-access-1")
        #expect(try await token(sessions, Self.notes, replacing: "notes-access-1") == "notes-access-2")
        let former = try #require(try await sessions.end(account))
        #expect(await sessions.revoke(former, of: account) == nil)
        #expect(backend.revoked == ["own-0", "new-0", "notes-2", "notes-access-2"])
        let notes = try await store.records(in: .refreshes).records
        #expect(notes.allSatisfy { $0.content == nil })
        #expect(await code { try await token(sessions, Self.notes) } == "not_signed_in")
    }

    @Test("One takes the place of another only when it covers all of it, and never that of the first")
    func covering() async throws {
        let sessions = try await begun()
        try await sessions.add(credential("narrow", scopes: ["mail"], of: Self.notes), to: account)
        #expect(try await stored().grants.count == 2 && backend.revoked.isEmpty)
        try await sessions.add(credential("wide", scopes: ["mail", "read", "write"], of: Self.notes), to: account)
        #expect(try await stored().grants.map(\.credential.refreshToken) == ["wide-0"])
        #expect(Set(backend.revoked).isSuperset(of: ["notes-0", "narrow-0"]))
        #expect(try await token(sessions) == "own-access-0")
        #expect(try await token(sessions, Self.notes, scopes: ["write"]) == "wide-access-0")
        // An authorization with a known refresh token is the known one, and its note counts.
        try await sessions.add(credential("wide", of: Self.notes), to: account)
        #expect(try await stored().grants.map(\.credential.agreedScopes) == [["mail", "read", "write"]])
        var plain = credential("plain", scopes: ["list"], of: Self.files)
        plain.refreshToken = nil
        try await sessions.add(plain, to: account)
        #expect(try await token(sessions, Self.files, scopes: ["list"]) == "plain-access-0")
        #expect(try await stored().grants.count == 1)
    }

    @Test("A result that cannot be stored is used, and neither the other's refresh nor its note is lost with it")
    func unstored() async throws {
        backend.script(.loseAnswer)
        #expect(await code { try await longer(begun()) } != nil)
        let sessions = sessions(clock.timeSource)
        clock.advance(by: .seconds(120))
        store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"))
        let refreshing = Task { try await token(sessions, Self.notes, replacing: "notes-access-0") }
        while monitor.notStored.isEmpty {
            if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
            await Task.yield()
        }
        #expect(try await refreshing.value == "notes-access-1")
        #expect(await code { try await longer(sessions) } == "refresh_in_progress")
        store.heal()
        while !monitor.notStored.isEmpty {
            if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
            await Task.yield()
        }
        for process in [sessions, self.sessions()] {
            #expect(try await token(process, Self.notes) == "notes-access-1")
            #expect(await code { try await longer(process) } == "refresh_in_progress")
        }
        #expect(backend.sent == ["own-0", "notes-0"])
    }

    @Test("Events name the second authorization, by nothing of its tokens, and the first one not")
    func events() async throws {
        let (sessions, recorder) = (try await begun(), EventRecorder())
        monitor.observers.add(recorder)
        _ = try await token(sessions, Self.notes, replacing: "notes-access-0")
        let id = try #require(try await stored().grants.first?.id)
        for name in ["refresh.began", "session.refreshed", "refresh.stored"] {
            #expect(await recorder.first(name).details[.grant] == id)
        }
        let next = EventRecorder()
        monitor.observers.add(next)
        _ = try await token(sessions, replacing: "own-access-0")
        #expect(await next.first("refresh.stored").details[.grant] == nil)
    }

    @Test(
        "A record keeps every authorization, a damaged one costs the others nothing, and a session of one is as before")
    func record() async throws {
        var session = credential("own")
        let plain = try JSONValue(parsing: JSONEncoder().encode(session))
        #expect(plain["grants"] == nil && plain["agreedResources"] == nil)
        let replaced =
            session.add(credential("notes", of: Self.notes)) + session.add(credential("files", of: Self.files))
        #expect(replaced.isEmpty)
        var document = try JSONValue(parsing: JSONEncoder().encode(session))
        #expect(try JSONDecoder().decode(Credential.self, from: JSONEncoder().encode(document)) == session)
        guard case .array(let grants)? = document["grants"] else { throw TestError() }
        document["grants"] = .array([.null, ["id": "x"], ["id": "x", "credential": ["accessToken": ""]], grants[1]])
        let read = try JSONDecoder().decode(Credential.self, from: JSONEncoder().encode(document))
        #expect(read.grants == [session.grants[1]] && read.refreshToken == "own-0")
        #expect(!"\(session) \(session.grants)".contains("notes-"))
    }
}
