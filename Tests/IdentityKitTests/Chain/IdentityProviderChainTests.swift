import Foundation
import IdentityKit
import Testing

@Suite struct IdentityProviderChainTests {
    private func chain(_ providers: ScriptedProvider...) throws -> IdentityProviderChain {
        try IdentityProviderChain(providers.map { IdentityProviderChain.Link($0.name, $0) })
    }

    @Test("Nil lets the next provider be asked")
    func fallsBack() async throws {
        let (first, second) = (ScriptedProvider("first"), ScriptedProvider("second", silent: .account("ada")))
        let chain = try chain(first, second)
        #expect(
            try await chain.activeAccount(scopes: [], deviceToken: "d") == AccountID(account: "ada", realm: "second"))
        #expect(first.calls == ["silent"])
    }

    @Test("C1: A failure stops the walk and says what happened before it")
    func failureStops() async throws {
        let third = ScriptedProvider("third", silent: .account("ada"))
        let chain = try chain(
            ScriptedProvider("first", silent: .absent(.signedOut)),
            ScriptedProvider("second", silent: .failure(TestError())), third)
        let error = await #expect(throws: ChainError.self) {
            try await chain.activeAccount(scopes: [], deviceToken: "d")
        }
        #expect(error?.attempts.map(\.provider) == ["first", "second"])
        #expect(error?.failureCode == "test_failure")
        #expect(
            error?.message == """
                The identity provider "second" failed, so no other was asked.
                  first: the user signed out
                  second: It was meant to fail.
                """)
        #expect(third.calls == [])
    }

    @Test("C6: A later session comes before an earlier login page")
    func silentFirst() async throws {
        let first = ScriptedProvider("first", interactive: .account("eve"))
        let chain = try chain(first, ScriptedProvider("second", silent: .account("ada")))
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d")?.account == "ada")
        #expect(first.calls == ["silent"])
    }

    @Test("At most one provider shows a sign-in, the first that can")
    func oneSignIn() async throws {
        let providers = [
            ScriptedProvider("first"), ScriptedProvider("second", interactive: .account("ada")),
            ScriptedProvider("third", interactive: .account("eve")),
        ]
        let chain = try chain(providers[0], providers[1], providers[2])
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d")?.account == "ada")
        #expect(providers.map(\.calls) == [["silent", "signIn"], ["silent", "signIn"], ["silent"]])
    }

    @Test("C2: Nobody has an account and nobody can ask: nil, not an error")
    func composes() async throws {
        let inner = try chain(ScriptedProvider("first"), ScriptedProvider("second", silent: .absent(.signedOut)))
        let outer = try IdentityProviderChain([.init("inner", inner)])
        #expect(try await outer.activeAccount(scopes: [], deviceToken: "d") == nil)
        guard case .absent(let reason) = try await outer.silentAccount(scopes: [], deviceToken: "d") else {
            Issue.record("there is no account")
            return
        }
        #expect(reason.description == "inner: first: nobody has signed in; second: the user signed out")
    }

    @Test("C3: Calls for an account go straight to its provider, also through a nested chain")
    func routing() async throws {
        let (first, second) = (ScriptedProvider("first"), ScriptedProvider("second"))
        let outer = try IdentityProviderChain([.init("inner", try chain(first, second))])
        let account = AccountID(account: "ada", realm: "second")
        #expect(try await outer.accessToken(for: account, scopes: []) == "token of second/ada")
        let newer = try await outer.accessToken(for: account, scopes: [], resource: nil, freshness: .other(than: "x"))
        #expect(newer == "newer token of second/ada")
        #expect(
            try await outer.requestAuthorization(for: account, scopes: [], deviceToken: "d") == Data("second".utf8))
        try await outer.signOut(account)
        #expect(first.calls == [])
        #expect(second.calls == ["accessToken", "replace", "requestAuthorization", "signOut"])
    }

    @Test("An account nobody answers for is an error, never another account")
    func unknownRealm() async throws {
        let chain = try chain(ScriptedProvider("first", silent: .account("ada")))
        let stranger = AccountID(account: "ada", realm: "other")
        await #expect(throws: ChainUsageError.unknownRealm(stranger, known: ["first"])) {
            try await chain.accessToken(for: stranger, scopes: [])
        }
    }

    @Test("A realm is another one when its name is spelled with other code points")
    func spellingOfRealm() async throws {
        let chain = try chain(ScriptedProvider("caf\u{E9}", silent: .account("ada")))
        let stranger = AccountID(account: "ada", realm: "cafe\u{301}")
        await #expect(throws: ChainUsageError.unknownRealm(stranger, known: ["caf\u{E9}"])) {
            try await chain.accessToken(for: stranger, scopes: [])
        }
    }

    @Test("An account of a realm that is only spelled like the provider's is refused")
    func foreignSpelling() async throws {
        let account = AccountID(account: "ada", realm: "cafe\u{301}")
        let chain = try IdentityProviderChain([.init("caf\u{E9}", PlainProvider(account: account))])
        let error = await #expect(throws: ChainError.self) { try await chain.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "foreign_account")
    }

    @Test("A provider with only the three methods is asked after everybody's silent look")
    func plainProvider() async throws {
        let account = AccountID(account: "ada", realm: "plain")
        let managed = ScriptedProvider("managed")
        let chain = try IdentityProviderChain([
            .init("plain", PlainProvider(account: account)), .init("managed", managed),
        ])
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == account)
        #expect(managed.calls == ["silent"])
        #expect(try await chain.accessToken(for: account, scopes: []) == "plain token")
    }

    @Test("An account of another realm is refused")
    func foreignAccount() async throws {
        let account = AccountID(account: "ada", realm: "somebody else")
        let chain = try IdentityProviderChain([.init("plain", PlainProvider(account: account))])
        let error = await #expect(throws: ChainError.self) { try await chain.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "foreign_account")
    }

    @Test("Names and realms are unique")
    func ambiguity() throws {
        let provider = ScriptedProvider("same")
        #expect(throws: ChainUsageError.ambiguous("same")) { try chain(provider, provider) }
        #expect(throws: ChainUsageError.ambiguous("same")) {
            try IdentityProviderChain([.init("a", provider), .init("b", provider)])
        }
    }

    @Test("A named provider signs in even when another has an account, and an unknown name lists the known ones")
    func namedSignIn() async throws {
        let chain = try chain(
            ScriptedProvider("first", silent: .account("eve")), ScriptedProvider("second", interactive: .account("ada"))
        )
        #expect(try await chain.signIn(with: "second", scopes: [], deviceToken: "d")?.account == "ada")
        await #expect(throws: ChainUsageError.unknownProvider("third", known: ["first", "second"])) {
            try await chain.signIn(with: "third", scopes: [], deviceToken: "d")
        }
    }

    @Test("A cancelled sign-in is a cancellation, not a failure of the chain")
    func cancellation() async throws {
        let chain = try chain(ScriptedProvider("first", interactive: .failure(CancellationError())))
        await #expect(throws: CancellationError.self) { try await chain.signIn(scopes: [], deviceToken: "d") }
    }

    @Test("C14: A provider without its configuration is not asked, and the error says what it lacks")
    func notConfigured() async throws {
        let machine = EnvironmentTokenProvider(account: .ada("machine"), read: { _ in nil })
        let chain = try IdentityProviderChain([.init("machine", machine), .init("last", ScriptedProvider("last"))])
        guard case .absent(.chain(let attempts)) = try await chain.silentAccount(scopes: [], deviceToken: "d") else {
            throw TestError()
        }
        #expect(attempts.first?.description == "machine: not configured: SWIFT_IDENTITY_TOKEN is not set")
    }

    @Test("Every attempt is observed and an explanation asks everybody")
    func observation() async throws {
        let seen = Locked<[String]>([])
        let providers = [
            ScriptedProvider("first", silent: .account("ada")),
            ScriptedProvider("second", silent: .failure(TestError())),
        ]
        let chain = try IdentityProviderChain(providers.map { .init($0.name, $0) }) { event in
            if case .chain(.attempt(let attempt)) = event.kind { seen.withLock { $0.append(attempt.description) } }
        }
        let attempts = await chain.explain(scopes: [], deviceToken: "d")
        #expect(attempts.map(\.description) == ["first: signed in as first/ada", "second: It was meant to fail."])
        #expect(seen.withLock { $0 } == attempts.map(\.description))
    }
}
