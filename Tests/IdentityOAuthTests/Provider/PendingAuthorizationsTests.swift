import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

@Suite("Sign-ins that wait for their callback")
struct PendingAuthorizationsTests {
    private let store = MemoryTokenStore()
    private let clock = ManualClock()

    private var flows: PendingAuthorizations { PendingAuthorizations(store: store, time: clock.timeSource) }

    private func flow(
        clientID: String = "app", configure: (inout AuthorizationRequest) -> Void = { _ in }
    ) throws -> PendingAuthorization {
        var request = try AuthorizationRequest(
            client: OAuthClient(id: clientID), authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known("myapp://callback"), scopes: ["openid"], issuer: "https://id.example",
            time: clock.timeSource)
        configure(&request)
        return request.pending
    }

    private var waiting: Int {
        get async throws { try await store.records(in: .pendingFlows).records.count { $0.content != nil } }
    }

    @Test("what is taken is what was added, also by a process that has just started")
    func roundTrip() async throws {
        let pending = try flow {
            $0.options.maxAge = 60
            $0.options.acrValues = ["gold"]
            $0.subject = "ada"
        }
        try await flows.add(pending)
        let restarted = PendingAuthorizations(store: store, time: clock.timeSource)
        #expect(try await restarted.take(pending.state) == pending)
    }

    @Test("a flow is taken once", .guards("single use"))
    func once() async throws {
        let pending = try flow()
        try await flows.add(pending)
        _ = try await flows.take(pending.state)
        #expect(try await flows.take(pending.state) == nil)
        #expect(try await waiting == 0)
    }

    @Test("of many who take one flow at the same time, one gets it", .guards("single use"))
    func race() async throws {
        let pending = try flow()
        try await flows.add(pending)
        let taken = try await withThrowingTaskGroup(of: PendingAuthorization?.self) { group in
            for _ in 0..<20 { group.addTask { try await flows.take(pending.state) } }
            return try await group.reduce(into: 0) { count, flow in count += flow == nil ? 0 : 1 }
        }
        #expect(taken == 1)
    }

    @Test("several wait side by side")
    func several() async throws {
        let pending = try (0..<3).map { _ in try flow() }
        for flow in pending { try await flows.add(flow) }
        for flow in pending.reversed() { #expect(try await flows.take(flow.state) == flow) }
    }

    @Test("nothing waits under an unknown state", .guards("state"))
    func unknown() async throws {
        try await flows.add(flow())
        #expect(try await flows.take("forged") == nil)
        #expect(try await flows.take("") == nil)
        #expect(try await waiting == 1)
    }

    @Test("the flow of another client keeps waiting", .guards("flow's issuer"))
    func unwanted() async throws {
        let pending = try flow(clientID: "theirs")
        try await flows.add(pending)
        #expect(try await flows.take(pending.state, where: { $0.clientID == "ours" }) == nil)
        #expect(try await flows.take(pending.state, where: { $0.clientID == "theirs" }) == pending)
    }

    @Test("a new flow erases the expired ones, and no others")
    func expiry() async throws {
        try await flows.add(flow())
        clock.advance(by: .seconds(300))
        let younger = try flow()
        try await flows.add(younger)
        clock.advance(by: .seconds(300))
        try await flows.add(flow())
        #expect(try await waiting == 2)
        #expect(try await flows.take(younger.state) == younger)
    }

    @Test("a record has the members that other versions read")
    func format() async throws {
        let pending = try flow { $0.subject = "ada" }
        try await flows.add(pending)
        let record = try #require(try await store.record(for: StoreKey(.pendingFlows, pending.state)))
        let content = try #require(record.content)
        let members = try #require(try JSONValue(parsing: content).objectValue)
        #expect(
            members.keys.sorted() == [
                "acrValues", "clientID", "codeVerifier", "createdAt", "expiresAt", "issuer", "nonce", "redirectURI",
                "requiresIssuer", "scopes", "state", "subject", "usesCodeChallenge",
            ])
        #expect(members["expiresAt"]?.numberValue == pending.expiresAt.timeIntervalSinceReferenceDate)
    }

    @Test("of more than a hundred, those that were started first wait no longer")
    func bounded() async throws {
        var pending: [PendingAuthorization] = []
        for _ in 0..<103 {
            pending.append(try flow())
            try await flows.add(try #require(pending.last))
            clock.advance(by: .seconds(1))
        }
        #expect(try await waiting == 100)
        for lost in pending.prefix(3) { #expect(try await flows.take(lost.state) == nil) }
        #expect(try await flows.take(pending[3].state) == pending[3])
    }

    @Test("one that is remembered at once waits also where the store keeps nothing, and is taken once")
    func remembered() async throws {
        let full = FaultyTokenStore(MemoryTokenStore())
        full.fail(.write, with: TokenStoreError.corrupt(path: "full", detail: "there is no space"))
        for store in [store, full] as [any TokenStore] {
            let flows = PendingAuthorizations(store: store, time: clock.timeSource)
            let pending = try flow()
            flows.remember(pending)
            #expect(try await flows.waiting() == [pending])
            #expect(try await flows.take(pending.state) == pending)
            #expect(try await flows.take(pending.state) == nil)
            #expect(try await flows.waiting().isEmpty)
        }
    }

    @Test("a flow is in the store before its page opens, also by the synchronous way and in a store that takes waiting")
    func stored() async throws {
        for store in [store, FaultyTokenStore(MemoryTokenStore())] as [any TokenStore] {
            let flows = PendingAuthorizations(store: store, time: clock.timeSource)
            let pending = try (0..<2).map { _ in try flow() }
            flows.remember(pending[0])
            // Where a store takes waiting, a busy machine needs longer than a thread may wait.
            if !(store is any ImmediateTokenStore) { _ = try await flows.waiting() }
            #expect(try await store.record(for: StoreKey(.pendingFlows, pending[0].state))?.content != nil)
            await flows.keep(pending[1])
            // The process dies here.
            let restarted = PendingAuthorizations(store: store, time: clock.timeSource)
            for flow in pending { #expect(try await restarted.take(flow.state) == flow) }
        }
    }

    @Test("what has become of a flow is known, also in part by a process that has just started")
    func endings() async throws {
        let flows = self.flows
        let (done, late, left, other) = (
            try flow(), try flow(), try flow(clientID: "left"), try flow(clientID: "theirs")
        )
        for pending in [done, left, other] { await flows.keep(pending) }
        _ = try await flows.take(done.state)
        await flows.forgetAll { $0.clientID == "left" }
        await flows.keep(late)
        clock.advance(by: .seconds(601))
        _ = try await flows.waiting()
        #expect(await flows.reasonOfEnd(done.state) == .flowOver)
        #expect(await flows.reasonOfEnd(left.state) == .signedOut)
        #expect(await flows.reasonOfEnd(late.state) == .flowExpired)
        #expect(await flows.reasonOfEnd("forged") == .unknownFlow)
        let restarted = self.flows
        #expect(await restarted.reasonOfEnd(done.state) == .flowOver)
        #expect(await restarted.reasonOfEnd("forged") == .unknownFlow)
    }

    @Test("one that made room for a hundred later ones was replaced")
    func replaced() async throws {
        let flows = self.flows
        let first = try flow()
        await flows.keep(first)
        for _ in 0..<100 {
            clock.advance(by: .seconds(1))
            try await flows.add(try flow())
        }
        #expect(await flows.reasonOfEnd(first.state) == .flowReplaced)
    }

    @Test("each reason has a text of its own, which says what to do and names no protocol")
    func texts() {
        let reasons: [InvalidCallbackReason] = [.unknownFlow, .flowOver, .flowExpired, .flowReplaced, .signedOut]
        let texts = reasons.map { OAuthError.invalidCallback($0).message }
        #expect(Set(texts).count == reasons.count)
        #expect(texts.allSatisfy { $0.contains("ign in") && !$0.contains("PKCE") })
    }

    @Test("one is found by its identifier, without a listing of the others, and goes on waiting until it expires")
    func found() async throws {
        let counted = FaultyTokenStore(store)
        let (here, pending) = (flows, try flow())
        await here.keep(pending)
        let restarted = PendingAuthorizations(store: counted, time: clock.timeSource)
        for flows in [here, restarted] {
            #expect(try await flows.waiting(pending.state) == pending)
            #expect(try await flows.waiting("forged") == nil)
        }
        #expect(counted.count(of: .list) == 0)
        clock.advance(by: .seconds(601))
        for flows in [here, restarted] { #expect(try await flows.waiting(pending.state) == nil) }
    }

    @Test("one that another process took is gone, also where it was started")
    func otherProcess() async throws {
        let (here, there) = (flows, flows)
        let pending = try flow()
        here.remember(pending)
        _ = try await here.waiting()
        #expect(try await there.take(pending.state) == pending)
        #expect(try await here.take(pending.state) == nil)
    }

    @Test("those that are forgotten wait neither here nor in the store, and others go on waiting")
    func forgotten() async throws {
        let flows = self.flows
        let (mine, other) = (try flow(), try flow(clientID: "theirs"))
        for pending in [mine, other] { flows.remember(pending) }
        await flows.forgetAll { $0.clientID == "app" }
        #expect(try await flows.waiting() == [other])
        #expect(try await waiting == 1)
        #expect(try await flows.take(mine.state) == nil)
    }

    @Test("an erased account leaves no flow that names it, whoever has its provider, and others go on waiting")
    func erased() async throws {
        let (mine, theirs, anybodys) = (try flow { $0.subject = "ada" }, try flow { $0.subject = "bob" }, try flow())
        for pending in [mine, theirs, anybodys] { try await flows.add(pending) }
        try await store.eraseAccount(AccountID(account: "ada", realm: "work"))
        #expect(try await Set(flows.waiting()) == [theirs, anybodys])
        #expect(try await waiting == 2)
    }

    @Test("a record that cannot be read is corrupt, once, and keeps no new flow from waiting")
    func corrupt() async throws {
        try await store.write(Data("{".utf8), for: StoreKey(.pendingFlows, "broken"), replacing: 0)
        let pending = try flow()
        try await flows.add(pending)
        #expect(try await flows.take(pending.state) == pending)
        let error = await #expect(throws: TokenStoreError.self) { try await flows.take("broken") }
        #expect(error?.failureCode == "store_corrupt")
        #expect(try await flows.take("broken") == nil)
    }
}
