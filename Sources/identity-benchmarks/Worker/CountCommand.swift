import ArgumentParser
import Foundation
import IdentityKit
import IdentityOAuth

/// `identity-benchmarks count`: does one kind of work a fixed number of times, so that `.ci/counts` can count the
/// system calls, allocations, page faults and requests of the work.
struct CountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "count", shouldDisplay: false)

    enum Work: String, ExpressibleByArgument, CaseIterable {
        case cachedToken = "cached-token"
        case resourceToken = "resource-token"
        case recordRead = "record-read"
        case recordSave = "record-save"
        case sessionLoad = "session-load"
        case importOnce = "first-look"
        case sharedRefresh = "shared-refresh"
        case refresh
        /// A refresh without a server. The work of a server in this process would vary between runs.
        case refreshAlone = "refresh-alone"
        case keyLookUp = "key-look-up"
        /// Fills the store that most other kinds of work use.
        case fill
        /// Signs in at a local server, and prints the path of the configuration with which the tool finds the session.
        case toolStore = "tool-store"
    }

    @Argument var work: Work
    @Option(help: "How often.") var times = 1
    @Option(help: "The folder of the store.") var store: String
    @Option(help: "How many accounts it has been filled with.") var accounts = 1

    func run() async throws {
        let folder = URL(fileURLWithPath: store)
        if work == .fill {
            _ = try await FilledStore(folder: folder, accounts: accounts)
            return
        }
        if work == .toolStore {
            let scratch = try ScratchFolder()
            defer { scratch.remove() }
            let bench = Bench(isQuick: true, tool: "identity", footprint: nil, scratch: scratch)
            print(try await SignedInTool(bench, in: folder).configuration.path)
            return
        }
        let opened = try FilledStore.configuration(of: folder).open()
        let account = FilledStore.account(0)
        let body = try await Self.body(of: work, over: opened, folder: folder, account: account)
        for _ in 0..<times { try await body() }
    }

    private static func body(
        of work: Work, over store: any TokenStore, folder: URL, account: AccountID
    ) async throws -> () async throws -> Void {
        switch work {
        case .fill, .toolStore: return {}
        case .cachedToken:
            let client = try IdentityClient.benchmark(over: store)
            return { _ = try await client.accessToken() }
        case .resourceToken:
            let client = try await IdentityClient.benchmarkOfResources(over: store)
            return { _ = try await client.accessToken(resource: BenchmarkSessions.resource) }
        case .recordRead: return { _ = try await store.record(for: .account(account)) }
        case .recordSave:
            let key = StoreKey(.device, "benchmark")
            return {
                let generation = try await store.record(for: key)?.generation ?? 0
                try await store.write(Data(count: 2048), for: key, replacing: generation)
            }
        case .sessionLoad:
            let sessions = BenchmarkSessions.make(over: store)
            return { _ = try await sessions.storedCredential(of: account) }
        case .importOnce:
            return {
                let opened = try FilledStore.configuration(of: folder).open()
                _ = try await BenchmarkProvider(BenchmarkSessions.make(over: opened))
                    .silentAccount(scopes: [], deviceToken: "device")
            }
        case .sharedRefresh: return sharedRefresh(of: account)
        case .refresh: return try await refresh(over: store, account)
        case .refreshAlone:
            let sessions = BenchmarkSessions.make(over: store) { .refreshed($0.refreshed()) }
            return {
                try await sessions.begin(.expired(), for: account)
                _ = try await sessions.accessToken(for: account, scopes: [])
            }
        case .keyLookUp: return try keyLookUp()
        }
    }

    /// Returns work that makes a session in memory expire and lets 1,000 tasks ask for a token at once. A refresh takes
    /// 20 milliseconds.
    private static func sharedRefresh(of account: AccountID) -> () async throws -> Void {
        let sessions = BenchmarkSessions.make(over: MemoryTokenStore()) { credential in
            try await Task.sleep(for: .milliseconds(20))
            return .refreshed(credential.refreshed())
        }
        return {
            try await sessions.begin(.expired(), for: account)
            try await Section.atOnce(1000) { _ = try await sessions.accessToken(for: account, scopes: []) }
        }
    }

    /// Returns work that makes the session in the store expire and lets 100 tasks ask for a token at once. The work
    /// prints `request` for each request that the server received.
    private static func refresh(
        over store: any TokenStore, _ account: AccountID
    ) async throws -> () async throws -> Void {
        let server = try await RefreshServer.start(latency: .zero)
        let exchange = RefreshServer.exchange(at: server.http.url.absoluteString)
        let sessions = BenchmarkSessions.make(over: store, exchange: exchange)
        return {
            let before = server.requests
            try await sessions.begin(.expired(), for: account)
            try await Section.atOnce(100) { _ = try await sessions.accessToken(for: account, scopes: []) }
            for _ in before..<server.requests { print("request") }
        }
    }

    /// Returns work that finds a key among 1,000 by its identifier.
    private static func keyLookUp() throws -> () async throws -> Void {
        let modulus = Base64URL.encode(Data(repeating: 0xC5, count: 256))
        let keys = JSONWebKeySet(
            try (0..<1000).map { index in
                try JSONWebKey(members: [
                    "kty": "RSA", "alg": "RS256", "kid": .string("key-\(index)"), "n": .string(modulus),
                    "e": "AQAB",
                ])
            })
        return { _ = try keys.key(for: .rs256, keyID: "key-999") }
    }
}
