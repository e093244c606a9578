import Foundation
import IdentityKit
import IdentityTesting
import LocalServers
import OAuthKit
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
            $0.maxAge = 60
            $0.acrValues = ["gold"]
            $0.subject = "ada"
        }
        try await flows.add(pending)
        let restarted = PendingAuthorizations(store: store, time: clock.timeSource)
        #expect(try await restarted.take(state: pending.state) == pending)
    }

    @Test("a flow is taken once", .guards("single use"))
    func once() async throws {
        let pending = try flow()
        try await flows.add(pending)
        _ = try await flows.take(state: pending.state)
        #expect(try await flows.take(state: pending.state) == nil)
        #expect(try await waiting == 0)
    }

    @Test("of many who take one flow at the same time, one gets it", .guards("single use"))
    func race() async throws {
        let pending = try flow()
        try await flows.add(pending)
        let taken = try await withThrowingTaskGroup(of: PendingAuthorization?.self) { group in
            for _ in 0..<20 { group.addTask { try await flows.take(state: pending.state) } }
            return try await group.reduce(into: 0) { count, flow in count += flow == nil ? 0 : 1 }
        }
        #expect(taken == 1)
    }

    @Test("several wait side by side")
    func several() async throws {
        let pending = try (0..<3).map { _ in try flow() }
        for flow in pending { try await flows.add(flow) }
        for flow in pending.reversed() { #expect(try await flows.take(state: flow.state) == flow) }
    }

    @Test("nothing waits under a state nobody made", .guards("state"))
    func unknown() async throws {
        try await flows.add(flow())
        #expect(try await flows.take(state: "forged") == nil)
        #expect(try await flows.take(state: "") == nil)
        #expect(try await waiting == 1)
    }

    @Test("a flow of somebody else keeps waiting", .guards("flow's issuer"))
    func unwanted() async throws {
        let pending = try flow(clientID: "theirs")
        try await flows.add(pending)
        #expect(try await flows.take(state: pending.state, where: { $0.clientID == "ours" }) == nil)
        #expect(try await flows.take(state: pending.state, where: { $0.clientID == "theirs" }) == pending)
    }

    @Test("a new flow sweeps away those nobody may finish any more, and no others")
    func expiry() async throws {
        try await flows.add(flow())
        clock.advance(by: .seconds(300))
        let younger = try flow()
        try await flows.add(younger)
        clock.advance(by: .seconds(300))
        try await flows.add(flow())
        #expect(try await waiting == 2)
        #expect(try await flows.take(state: younger.state) == younger)
    }

    @Test("a record nobody can read is said to be corrupt, once, and keeps no new flow from waiting")
    func corrupt() async throws {
        try await store.write(Data("{".utf8), for: StoreKey(.pendingFlows, "broken"), replacing: 0)
        let pending = try flow()
        try await flows.add(pending)
        #expect(try await flows.take(state: pending.state) == pending)
        let error = await #expect(throws: TokenStoreError.self) { try await flows.take(state: "broken") }
        #expect(error?.failureCode == "store_corrupt")
        #expect(try await flows.take(state: "broken") == nil)
    }
}
