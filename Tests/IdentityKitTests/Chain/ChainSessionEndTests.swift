import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// The session of the chosen account ends, and nobody has decided who comes next.
@Suite struct ChainSessionEndTests {
    private static let reason = "The server revoked it."
    private static let ended = ScriptedProvider.Answer.absent(.sessionEnded(reason))

    /// The second of three providers is the chosen one, its session has ended, and the first and the third have accounts.
    private func fixture(_ answer: ScriptedProvider.Answer = ended) async throws -> ChainFixture {
        let fixture = ChainFixture([.account("ada"), answer, .account("ada")])
        try await fixture.choose(.ada("second"))
        return fixture
    }

    private func look(_ chain: IdentityProviderChain) async throws -> AccountLookup {
        try await chain.silentAccount(scopes: [], deviceToken: "d")
    }

    private func expectEnded(
        _ lookup: AccountLookup, _ account: AccountID = .ada("second"),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .absent(.activeSessionEnded(account, reason: Self.reason)) = lookup else {
            Issue.record("the answer is \(lookup)", sourceLocation: sourceLocation)
            return
        }
    }

    // MARK: Ask

    @Test("Nobody becomes another person: every look says whose session has ended, after a restart too")
    func asks() async throws {
        let fixture = try await fixture()
        let chain = try fixture.chain()
        for _ in 0..<2 { expectEnded(try await look(chain)) }
        expectEnded(try await look(fixture.chain()))
        #expect(fixture.providers[0].calls == [] && fixture.providers[2].calls == [])
        #expect(try await fixture.selection() == .ada("second"))
        #expect(fixture.changes == [])
        let warnings = fixture.reported.withLock { $0 }.filter { $0.level == .warning }.map(\.description)
        #expect(
            warnings == Array(repeating: "The session of second/ada has ended: \(Self.reason) Sign in again.", count: 3)
        )
        #expect(
            await chain.explain(scopes: [], deviceToken: "d")[1].description
                == "second: the session has ended: \(Self.reason)")
    }

    @Test("It is the same in another process", .endsInTime)
    func inAnotherProcess() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store").path
        let store = try FileTokenStore(folder: folder.file("store"), protection: .allowUnencryptedStorage)
        let fixture = ChainFixture([.account("ada"), Self.ended, .account("ada")], store: store)
        try await fixture.choose(.ada("second"))
        expectEnded(try await look(fixture.chain()))
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try FileTokenStore(
                folder: URL(fileURLWithPath: path, isDirectory: true), protection: .allowUnencryptedStorage)
            let fixture = ChainFixture([.account("ada"), ChainSessionEndTests.ended, .account("ada")], store: store)
            let lookup = try await fixture.chain().silentAccount(scopes: [], deviceToken: "d")
            guard case .absent(.activeSessionEnded(.ada("second"), _)) = lookup else { throw TestError() }
        }
    }

    @Test(
        "Absence that was known from the start goes on with the others",
        arguments: [
            AbsenceReason.neverSignedIn, .signedOut, .notConfigured("VARIABLE is not set"), .unavailable("It is off."),
        ])
    func absent(reason: AbsenceReason) async throws {
        let fixture = try await fixture(.absent(reason))
        let lookup = try await look(fixture.chain())
        #expect(lookup.account == .ada("first") && lookup.fallback == nil)
        #expect(fixture.changes == ["second/ada -> first/ada: \(reason)"])
    }

    @Test("A sign-in is shown by the ended account's provider first, then by the others")
    func signsInAgain() async throws {
        let fixture = try await fixture()
        for provider in fixture.providers { provider.setInteractive(.account("eve")) }
        let chain = try fixture.chain()
        #expect(
            try await chain.activeAccount(scopes: [], deviceToken: "d") == AccountID(account: "eve", realm: "second"))
        #expect(fixture.providers[0].calls == [] && fixture.providers[2].calls == [])

        let other = try await self.fixture()
        other.providers[2].setInteractive(.account("eve"))
        #expect(
            try await other.chain().activeAccount(scopes: [], deviceToken: "d")
                == AccountID(account: "eve", realm: "third"))
        #expect(other.providers.map(\.calls) == [["signIn"], ["silent", "signIn"], ["signIn"]])
        #expect(other.changes == ["second/ada -> third/eve: the user signed in"])
    }

    @Test("Somebody who gives up the sign-in is still whose session has ended")
    func givesUp() async throws {
        let fixture = try await fixture()
        fixture.providers[1].setInteractive(.failure(CancellationError()))
        let chain = try fixture.chain()
        await #expect(throws: CancellationError.self) { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        expectEnded(try await look(chain))
        #expect(fixture.providers[0].calls == [])
    }

    @Test("Where no sign-in can be shown, the end of the session is the error, and nobody who shows nothing steps in")
    func cannotSignIn() async throws {
        let fixture = try await fixture()
        let given = StaticTokenProvider(token: "given-token", account: .ada("given"))
        let links = [.init("given", given), .init("build", QuietProvider("build"))] + fixture.links
        let nested = try IdentityProviderChain([
            .init("environment", EnvironmentTokenProvider(account: .ada("ci"), read: { _ in "t" }))
        ])
        let chain = try fixture.chain(links + [.init("nested", nested)])
        await #expect(throws: SessionError.ended(.ada("second"), reason: Self.reason)) {
            try await chain.activeAccount(scopes: [], deviceToken: "d")
        }
        #expect(try await fixture.selection() == .ada("second"))
    }

    @Test("Signing out of the ended account, or selecting another, is a decision")
    func decisions() async throws {
        let signingOut = try await fixture()
        let chain = try signingOut.chain()
        expectEnded(try await look(chain))
        try await chain.signOut(.ada("second"))
        #expect(try await look(chain).account == .ada("first"))

        let selecting = try await fixture()
        let other = try selecting.chain()
        await #expect(throws: SessionError.ended(.ada("second"), reason: Self.reason)) {
            try await other.select(.ada("second"), scopes: [], deviceToken: "d")
        }
        try await other.select(.ada("third"), scopes: [], deviceToken: "d")
        #expect(try await look(other).account == .ada("third"))
        #expect(try await look(other).fallback == nil)
    }

    @Test("An override that keeps the ended account's provider out is a decision for as long as it lasts")
    func override() async throws {
        let fixture = try await fixture()
        #expect(try await look(fixture.chain(override: .only("third"))).account == .ada("third"))
        expectEnded(try await look(fixture.chain(override: .excluding("third"))))
        #expect(try await fixture.selection() == .ada("second"))
    }

    // MARK: Fall back

    @Test("A chain that may fall back says so with every answer, in every process, until somebody decides")
    func fallsBack() async throws {
        let fixture = try await fixture()
        let chain = try fixture.chain(onSessionEnd: .fallBack)
        let fallback = SessionFallback(from: .ada("second"), reason: Self.reason)
        let words = "instead of second/ada, whose session has ended: \(Self.reason)"
        for chain in [chain, chain, try fixture.chain()] {
            let lookup = try await look(chain)
            #expect(lookup.account == .ada("first") && lookup.fallback == fallback)
            #expect(
                await chain.explain(scopes: [], deviceToken: "d")[0].description
                    == "first: signed in as first/ada, \(words)")
        }
        #expect(fixture.changes == ["second/ada -> first/ada: fell back, \(words)"])
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("first"))
        let attempts = fixture.reported.withLock { events in
            events.compactMap { if case .attempt(let attempt) = $0 { attempt } else { nil } }
        }
        #expect(attempts.last?.fallback == fallback)
        try await chain.select(.ada("first"), scopes: [], deviceToken: "d")
        #expect(try await look(chain).fallback == nil)
        #expect(fixture.changes.count == 1)
    }

    @Test("Several falls in a row are one, and signing the first account out ends it")
    func fallsTwice() async throws {
        let fixture = try await fixture()
        let chain = try fixture.chain(onSessionEnd: .fallBack)
        _ = try await look(chain)
        fixture.providers[0].setSilent(.absent(.sessionEnded("Another reason.")))
        let lookup = try await look(chain)
        #expect(lookup.account == .ada("third") && lookup.fallback?.from == .ada("second"))
        try await chain.signOut(.ada("second"))
        #expect(try await look(chain).account == .ada("third"))
        #expect(try await look(chain).fallback == nil)
    }

    @Test("When the fallback's account has gone, the next one is a fallback too, also after a failed look-up")
    func fallsOn() async throws {
        let fixture = ChainFixture([Self.ended, .account("ada"), .failure(TestError())])
        try await fixture.choose(.ada("first"))
        let chain = try fixture.chain(onSessionEnd: .fallBack)
        #expect(try await look(chain).account == .ada("second"))
        fixture.providers[1].setSilent(.absent(.neverSignedIn))
        await #expect(throws: ChainError.self) { try await look(chain) }
        fixture.providers[2].setSilent(.account("ada"))
        for _ in 0..<2 {
            let lookup = try await look(chain)
            #expect(lookup.account == .ada("third") && lookup.fallback?.from == .ada("first"))
        }
        #expect(fixture.changes.count == 2)
        #expect(fixture.changes.last == "second/ada -> third/ada: \(AbsenceReason.neverSignedIn)")
    }

    @Test("Where nobody else is signed in, the choice waits, and who comes later is a fallback too")
    func fallsBackLater() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), Self.ended, .absent(.neverSignedIn)])
        try await fixture.choose(.ada("second"))
        let chain = try fixture.chain(onSessionEnd: .fallBack)
        guard case .absent(.chain(let attempts)) = try await look(chain) else {
            Issue.record("nobody is signed in")
            return
        }
        #expect(attempts.map(\.provider) == ["second", "first", "second", "third"])
        fixture.providers[2].setSilent(.account("ada"))
        #expect(try await look(chain).fallback?.from == .ada("second"))
    }

    // MARK: Of another configuration

    private static let foreign = "It belongs to another client."

    @Test("A session of another configuration stays the chosen one's, until somebody decides")
    func belongsElsewhere() async throws {
        let fixture = try await fixture(.absent(.belongsElsewhere(Self.foreign)))
        let chain = try fixture.chain()
        guard case .absent(.activeBelongsElsewhere(.ada("second"), Self.foreign)) = try await look(chain) else {
            Issue.record("It is absent here.")
            return
        }
        #expect(fixture.providers[0].calls == [] && fixture.changes == [])
        let error = SessionError.belongsElsewhere(.ada("second"), reason: Self.foreign)
        let warnings = fixture.reported.withLock { $0 }.filter { $0.level == .warning }.map(\.description)
        #expect(warnings == [error.messageWithIdentifier])
        await #expect(throws: error) { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        await #expect(throws: error) { try await chain.select(.ada("second"), scopes: [], deviceToken: "d") }
        #expect(try await fixture.selection() == .ada("second"))
    }

    @Test("A chain that may fall back takes another account for one look-up: the configuration may be back at the next")
    func fallsBackForNow() async throws {
        let fixture = try await fixture(.absent(.belongsElsewhere(Self.foreign)))
        let chain = try fixture.chain(onSessionEnd: .fallBack)
        for _ in 0..<2 {
            let lookup = try await look(chain)
            #expect(lookup.account == .ada("first"))
            #expect(
                lookup.fallback?.description
                    == "instead of second/ada, whose session cannot be used here: \(Self.foreign)")
        }
        #expect(try await fixture.selection() == .ada("second"))
        #expect(fixture.changes == [])
        fixture.providers[1].setSilent(.account("ada"))
        guard case .found(.ada("second")) = try await look(chain) else {
            Issue.record("It is back.")
            return
        }
    }

    @Test("A provider of three methods says that a session belongs elsewhere by its error")
    func thrownBelongsElsewhere() async throws {
        let fixture = try await fixture()
        let error = SessionError.belongsElsewhere(.ada("quiet"), reason: Self.foreign)
        let quiet = QuietProvider("quiet", .failure(error))
        try await fixture.choose(.ada("quiet"))
        let chain = try fixture.chain(fixture.links + [.init("quiet", quiet)])
        guard case .absent(.activeBelongsElsewhere(.ada("quiet"), Self.foreign)) = try await look(chain) else {
            Issue.record("It is absent here.")
            return
        }
    }

    // MARK: Suspended

    private func suspendedFixture(_ error: (any Error)? = nil) async throws -> ChainFixture {
        let fixture = try await fixture(.suspended("ada"))
        let suspended = SessionError.suspended(.ada("second"), ScriptedProvider.suspension)
        fixture.providers[1].tokenError.withLock { $0 = error ?? suspended }
        return fixture
    }

    @Test(
        "While no token of a suspended account works, the next one answers for that look-up alone, with and without a choice",
        arguments: [true, false])
    func fallsBackFromSuspended(isChosen: Bool) async throws {
        let fixture = try await suspendedFixture()
        if !isChosen {
            try await fixture.chain().signOut(.ada("second"))
            fixture.providers[0].setSilent(.absent(.neverSignedIn))
        }
        let changes = fixture.changes
        let chain = try fixture.chain(onSessionEnd: .fallBack)
        let other = AccountID.ada(isChosen ? "first" : "third")
        for _ in 0..<2 {
            let lookup = try await look(chain)
            #expect(lookup.account == other)
            #expect(
                lookup.fallback?.description == "instead of second/ada, whose session needs a sign-in: No.")
        }
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == other)
        #expect(try await fixture.selection() == (isChosen ? .ada("second") : nil))
        #expect(fixture.changes == changes)
        // Its server takes it again.
        fixture.providers[1].tokenError.withLock { $0 = nil }
        fixture.providers[1].setSilent(.account("ada"))
        guard case .found(.ada("second")) = try await look(chain) else {
            Issue.record("It is back.")
            return
        }
        #expect(try await fixture.selection() == .ada("second"))
    }

    @Test("While a token of it works, nobody answers in its place")
    func suspendedWithToken() async throws {
        let fixture = try await fixture(.suspended("ada"))
        guard case .suspended(.ada("second"), _) = try await look(fixture.chain(onSessionEnd: .fallBack)) else {
            Issue.record("It has a token.")
            return
        }
        #expect(fixture.providers[0].calls == [] && fixture.providers[2].calls == [])
    }

    @Test("Where nobody else is signed in, it is the account; a chain that asks does not even ask for its token")
    func suspendedAlone() async throws {
        let fixture = try await suspendedFixture()
        fixture.providers[2].setSilent(.absent(.neverSignedIn))
        // Another one without a token that works is no better.
        fixture.providers[0].setSilent(.suspended("ada"))
        fixture.providers[0].tokenError.withLock { $0 = TestError() }
        for policy in SessionEndPolicy.allCases {
            guard case .suspended(.ada("second"), _) = try await look(fixture.chain(onSessionEnd: policy)) else {
                Issue.record("It is the account.")
                return
            }
            #expect((fixture.providers[1].count(of: "accessToken") == 0) == (policy == .ask))
        }
        #expect(try await fixture.selection() == .ada("second"))
        #expect(fixture.changes == [])
    }

    @Test("A store that fails when the token is asked for is a failure, and no reason for another account")
    func suspendedInLockedStore() async throws {
        let fixture = try await suspendedFixture(TokenStoreError.locked(detail: "d"))
        await #expect(throws: ChainError.self) { try await look(fixture.chain(onSessionEnd: .fallBack)) }
        #expect(fixture.providers[0].calls == [])
    }

    @Test(
        "A server too slow to say whether a token works is a failure, unless nobody is chosen and it may be skipped",
        .endsInTime, arguments: SilentDeadline.Policy.allCases, [true, false])
    func suspendedAtSlowServer(policy: SilentDeadline.Policy, isChosen: Bool) async throws {
        let fixture = try await suspendedFixture()
        if !isChosen {
            try await fixture.chain().signOut(.ada("second"))
            fixture.providers[0].setSilent(.absent(.neverSignedIn))
        }
        fixture.providers[1].hangsForToken.withLock { $0 = true }
        var links = fixture.links
        links[1].silentDeadline = SilentDeadline(.seconds(2), policy)
        let chain = try fixture.chain(links, onSessionEnd: .fallBack)
        let lookup = Task { try await chain.silentAccount(scopes: [], deviceToken: "d") }
        await fixture.letDeadlinePass()
        if policy == .skip, !isChosen {
            #expect(try await lookup.value.fallback?.from == .ada("second"))
        } else {
            let error = await #expect(throws: ChainError.self) { try await lookup.value }
            #expect(error?.failureCode == "provider_too_slow" && error?.stoppedAt == "second")
            #expect(fixture.providers[2].calls == [])
        }
    }

    @Test("A fallback is stored and read with its cause", arguments: SessionFallback.Cause.allCases)
    func stored(cause: SessionFallback.Cause) throws {
        let fallback = SessionFallback(from: .ada("work"), reason: Self.reason, cause: cause)
        let text = try JSONEncoder().encode(fallback)
        #expect(try JSONDecoder().decode(SessionFallback.self, from: text) == fallback)
        #expect(String(decoding: text, as: UTF8.self).contains("cause") == (cause != .ended))
    }

    // MARK: Nested chains

    @Test("A chain inside another says of the chosen account why its session is over, and of nobody else")
    func nested() async throws {
        let fixture = try await fixture()
        let inner = try IdentityProviderChain(
            Array(fixture.links[1...]), time: fixture.clock.timeSource)
        let chain = try fixture.chain([fixture.links[0], .init("inner", inner)])
        expectEnded(try await look(chain))
        for provider in fixture.providers[1...] { provider.setInteractive(.account("eve")) }
        #expect(
            try await chain.activeAccount(scopes: [], deviceToken: "d") == AccountID(account: "eve", realm: "second"))
        #expect(fixture.providers[2].calls == [])
    }

    @Test("A chain that waits for a decision keeps the chain around it waiting, unless that may fall back")
    func insideAnother() async throws {
        let fixture = try await fixture()
        let guest = IdentityProviderChain.Link("guest", ScriptedProvider("guest", silent: .account("ada")))
        let links = [IdentityProviderChain.Link("app", try fixture.chain()), guest]
        expectEnded(try await look(IdentityProviderChain(links)))
        let lookup = try await look(IdentityProviderChain(links, onSessionEnd: .fallBack))
        #expect(lookup.account == .ada("guest") && lookup.fallback?.from == .ada("second"))
    }

    // MARK: Words

    @Test(
        "An ended session says once to sign in again, and its reason once",
        arguments: [
            ("Acme refused. Sign in again.", "Acme refused."),
            ("it belongs to another server", "it belongs to another server."),
            ("Sign in again.", "the server gave no reason."), ("Gone. Sign in again. Sign in again. ", "Gone."),
        ])
    func words(reason: String, sentence: String) {
        let error = SessionError.ended(.ada("work"), reason: reason)
        #expect(error.message == "The session with work has ended: \(sentence) Sign in again.")
        #expect(error.failureCode == "session_ended" && error.failureClass == .definitive)
        #expect(!AbsenceReason.activeSessionEnded(.ada("work"), reason: reason).description.contains("Sign in"))
    }
}
