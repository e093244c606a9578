import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@Suite(.endsInTime) struct ChainSelectionTests {
    enum Decision: CaseIterable, Sendable { case selection, signIn, signOut }

    private func look(_ chain: IdentityProviderChain) async throws -> AccountID? {
        try await chain.silentAccount(scopes: [], deviceToken: "d").account
    }

    @Test("C4: The first account that is found stays chosen when an earlier provider gets one")
    func sticky() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .account("ada"), .account("ada")])
        #expect(try await look(fixture.chain()) == .ada("second"))
        fixture.providers[0].setSilent(.account("ada"))
        let other = try fixture.chain()
        #expect(try await look(other) == .ada("second"))
        #expect(fixture.providers[2].calls == [])
        #expect(fixture.changes == ["nobody -> second/ada: found signed in"])
    }

    @Test("C5: A stale choice is forgotten, the walk begins at the top, and one change is reported with its reason")
    func stale() async throws {
        let fixture = ChainFixture([.account("ada"), .absent(.signedOut), .absent(.neverSignedIn)])
        try await fixture.choose(.ada("second"))
        #expect(try await look(fixture.chain()) == .ada("first"))
        #expect(fixture.changes == ["second/ada -> first/ada: the user signed out"])
        #expect(try await fixture.selection() == .ada("first"))
    }

    @Test("A provider that answers for another account changes the choice, and says so")
    func replaced() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .account("eve"), .absent(.neverSignedIn)])
        try await fixture.choose(.ada("second"))
        #expect(try await look(fixture.chain())?.account == "eve")
        #expect(fixture.changes == ["second/ada -> second/eve: the provider answers for another account"])
    }

    @Test("A choice whose provider is not configured any more is made anew")
    func removed() async throws {
        let fixture = ChainFixture([.account("ada"), .absent(.neverSignedIn), .absent(.neverSignedIn)])
        try await fixture.choose(.ada("gone"))
        #expect(try await look(fixture.chain()) == .ada("first"))
        #expect(fixture.changes == ["gone/ada -> first/ada: its provider is no longer configured"])
    }

    @Test("Where the choice is damaged, no other account takes its place, and a sign-in does")
    func damaged() async throws {
        let fixture = ChainFixture([.account("ada"), .absent(.neverSignedIn), .absent(.neverSignedIn)])
        fixture.providers[2].setInteractive(.account("eve"))
        let chain = try fixture.chain()
        try await fixture.store.write(Data("?".utf8), for: .currentAccount(ofProfile: "default"), replacing: 0)
        await #expect(throws: TokenStoreError.self) { try await look(chain) }
        let account = try await chain.activeAccount(scopes: [], deviceToken: "d")
        #expect(account == AccountID(account: "eve", realm: "third"))
        #expect(try await fixture.selection() == account)
    }

    @Test("Signing in, choosing and signing out change the choice")
    func userDecisions() async throws {
        let fixture = ChainFixture([.account("ada"), .account("ada"), .absent(.neverSignedIn)])
        fixture.providers[2].setInteractive(.account("ada"))
        let chain = try fixture.chain()
        #expect(try await look(chain) == .ada("first"))
        #expect(try await chain.signIn(with: "third", scopes: [], deviceToken: "d") == .ada("third"))
        #expect(try await fixture.selection() == .ada("third"))
        try await chain.select(.ada("second"), scopes: [], deviceToken: "d")
        #expect(try await look(chain) == .ada("second"))
        try await chain.signOut(.ada("first"))
        #expect(try await fixture.selection() == .ada("second"))
        try await chain.signOut(.ada("second"))
        #expect(try await fixture.selection() == nil)
        #expect(
            fixture.changes == [
                "nobody -> first/ada: found signed in", "first/ada -> third/ada: the user signed in",
                "third/ada -> second/ada: the app chose", "second/ada -> nobody: the user signed out",
            ])
    }

    @Test("Only a signed-in account can be chosen")
    func selectAbsent() async throws {
        let fixture = ChainFixture([.account("ada"), .absent(.signedOut), .failure(TestError())])
        let chain = try fixture.chain()
        for account in [AccountID.ada("second"), AccountID(account: "eve", realm: "first")] {
            await #expect(throws: SessionError.notSignedIn(account)) {
                try await chain.select(account, scopes: [], deviceToken: "d")
            }
        }
        await #expect(throws: ChainError.self) {
            try await chain.select(.ada("third"), scopes: [], deviceToken: "d")
        }
        #expect(try await fixture.selection() == nil)
    }

    @Test("A choice that cannot be read is an error, and a sign-in mends it")
    func corrupt() async throws {
        let fixture = ChainFixture([.account("ada"), .absent(.signedOut), .absent(.signedOut)])
        try await fixture.store.write(Data("nonsense".utf8), for: .currentAccount(ofProfile: "default"), replacing: 0)
        let chain = try fixture.chain()
        let error = await #expect(throws: TokenStoreError.self) { try await look(chain) }
        #expect(error?.failureCode == "store_corrupt")
        fixture.providers[0].setInteractive(.account("ada"))
        _ = try await chain.signIn(scopes: [], deviceToken: "d")
        #expect(try await look(chain) == .ada("first"))
    }

    @Test("The choice of a provider with only the three methods stands without asking it")
    func plainProvider() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .absent(.neverSignedIn), .absent(.neverSignedIn)])
        let plain = IdentityProviderChain.Link("plain", PlainProvider(account: .ada("plain")))
        let chain = try fixture.chain(fixture.links + [plain])
        #expect(try await look(chain) == nil)
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("plain"))
        #expect(try await look(chain) == .ada("plain"))
    }

    @Test("A look after a decision does not share the answer of one before it", arguments: Decision.allCases)
    func decided(decision: Decision) async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .absent(.neverSignedIn), .absent(.neverSignedIn)])
        let (chain, gate, first) = (try fixture.chain(), Gate(), fixture.providers[0])
        if decision != .signIn {
            first.setSilent(.account("ada"))
            try await fixture.choose(.ada("first"))
        }
        fixture.providers[decision == .signIn ? 2 : 0].gate.withLock { $0 = gate }
        let early = Task { try await look(chain) }
        while await gate.arrivals == 0 { await Task.yield() }
        for provider in fixture.providers { provider.gate.withLock { $0 = nil } }
        switch decision {
        case .selection:
            fixture.providers[1].setSilent(.account("ada"))
            try await chain.select(.ada("second"), scopes: [], deviceToken: "d")
        case .signIn:
            first.setSilent(.account("ada"))
            first.setInteractive(.account("ada"))
            _ = try await chain.signIn(with: "first", scopes: [], deviceToken: "d")
        case .signOut:
            first.setSilent(.absent(.signedOut))
            try await chain.signOut(.ada("first"))
        }
        let expected: [Decision: AccountID] = [.selection: .ada("second"), .signIn: .ada("first")]
        // A look that shared the answer of the earlier one would wait for it.
        #expect(try await look(chain) == expected[decision])
        await gate.open()
        #expect(try await early.value == (decision == .signIn ? nil : .ada("first")))
    }

    @Test("A request for an account after a selection does not share the answer to one before it")
    func decidedMeanwhile() async throws {
        let fixture = ChainFixture([.account("ada"), .account("ada"), .absent(.neverSignedIn)])
        let (chain, gate) = (try fixture.chain(), Gate())
        try await fixture.choose(.ada("first"))
        fixture.providers[0].gate.withLock { $0 = gate }
        let early = Task { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        while await gate.arrivals == 0 { await Task.yield() }
        fixture.providers[0].gate.withLock { $0 = nil }
        try await chain.select(.ada("second"), scopes: [], deviceToken: "d")
        // A request that shared the answer to the earlier one would wait for it.
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("second"))
        await gate.open()
        #expect(try await early.value == .ada("first"))
    }

    @Test("Two chains of one folder with opposite orders end with one choice, however they race", arguments: 0..<40)
    func race(round: Int) async throws {
        let folder = try TemporaryFolder()
        let chains = try [false, true].map { isReversed in
            let fixture = ChainFixture(
                [.account("ada"), .account("ada"), .account("ada")],
                store: try FileTokenStore(folder: folder.file("store"), protection: .allowUnencryptedStorage))
            return try fixture.chain(isReversed ? fixture.links.reversed() : fixture.links)
        }
        async let first = look(chains[round % 2])
        async let second = look(chains[(round + 1) % 2])
        let found = try await [first, second]
        #expect(found[0] != nil)
        #expect(found[0] == found[1])
    }
}
