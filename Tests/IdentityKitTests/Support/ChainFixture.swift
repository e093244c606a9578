import Foundation
import IdentityKit
import IdentityTesting

/// Three scripted providers in a chain on a store, with everything the chain reports.
struct ChainFixture {
    let store: any TokenStore
    let clock = ManualClock()
    let providers: [ScriptedProvider]
    let reported = Locked<[ChainEvent]>([])

    static let names = ["first", "second", "third"]

    init(_ silent: [ScriptedProvider.Answer], store: any TokenStore = MemoryTokenStore()) {
        self.store = store
        providers = zip(Self.names, silent).map { ScriptedProvider($0, silent: $1) }
    }

    var links: [IdentityProviderChain.Link] { providers.map { .init($0.name, $0) } }

    func chain(
        _ links: [IdentityProviderChain.Link]? = nil, override: ProviderOverride? = nil,
        onSessionEnd: SessionEndPolicy = .ask
    ) throws -> IdentityProviderChain {
        try IdentityProviderChain(
            links ?? self.links, store: store, override: override, onSessionEnd: onSessionEnd, time: clock.timeSource
        ) { [reported] event in
            if case .chain(let event) = event.kind { reported.withLock { $0.append(event) } }
        }
    }

    /// Whether a provider gives no answer, and the clock is being waited on for its deadline.
    private var waitsForDeadline: Bool { clock.sleeperCount > 0 && providers.contains(where: \.isHanging) }

    /// Waits until a provider gives no answer, then moves the clock past every deadline.
    func letDeadlinePass() async {
        while !waitsForDeadline { await Task.yield() }
        clock.advance(by: .seconds(3))
    }

    /// Moves the clock past the deadline of whoever gives no answer, for as long as `work` runs.
    /// - Parameter missed: is called before the clock moves.
    func passingDeadlines<Result: Sendable>(
        missed: @escaping @Sendable () -> Void = {}, _ work: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        let mover = Task {
            while !Task.isCancelled {
                if waitsForDeadline {
                    missed()
                    clock.advance(by: .seconds(3))
                }
                await Task.yield()
            }
        }
        defer { mover.cancel() }
        return try await work()
    }

    /// The chosen account as it is stored.
    func selection() async throws -> AccountID? {
        guard let content = try await store.record(for: .currentAccount(ofProfile: "default"))?.content else {
            return nil
        }
        return try JSONDecoder().decode([String: JSONValue].self, from: content)["account"].flatMap {
            guard let account = $0["account"]?.stringValue, let realm = $0["realm"]?.stringValue else { return nil }
            return AccountID(account: account, realm: realm)
        }
    }

    /// Stores a choice as another process would have.
    func choose(_ account: AccountID) async throws {
        let generation = try await store.record(for: .currentAccount(ofProfile: "default"))?.generation ?? 0
        let content =
            #"{"account":{"account":"\#(account.account)","realm":"\#(account.realm)"},"provider":"\#(account.realm)"}"#
        try await store.write(Data(content.utf8), for: .currentAccount(ofProfile: "default"), replacing: generation)
    }

    var changes: [String] {
        reported.withLock { $0 }.compactMap { event in
            if case .selectionChanged(let change) = event { change.description } else { nil }
        }
    }
}

extension AccountID {
    /// `ada` at `realm`.
    static func ada(_ realm: String) -> AccountID { AccountID(account: "ada", realm: realm) }
}
