import ArgumentParser
import Foundation
import IdentityKit

/// `identity-benchmarks store`: the time of getting a valid token, of a refresh that many callers share, and of storing one
/// session among many.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Measures the token store and the refresh of tokens.")

    @Option(help: "The largest number of accounts.")
    var accounts = 100_000

    @Option(help: "How long the simulated token endpoint takes, in milliseconds.")
    var latency = 50

    @Option(help: "Measures only the cases whose name contains this.")
    var only = ""

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var table = Table(title: "Token store", columns: ["case", "accounts", "result"])
        for count in [1, 1000, 100_000] where count <= accounts {
            let stage = try await Stage(folder: folder.appendingPathComponent("\(count)"), accounts: count)
            for (name, measure) in cases where only.isEmpty || name.contains(only) {
                table.add(name, count, try await measure(stage))
            }
        }
        print(table)
    }

    private var cases: [(name: String, measure: (Stage) async throws -> String)] {
        [
            ("valid token, from the client", { try await $0.clientToken(through: $0.provider()) }),
            (
                "valid token, from the client of a chain",
                { try await $0.clientToken(through: IdentityProviderChain([.init("work", $0.provider())])) }
            ),
            ("valid token, one account", { try await $0.validToken(spread: 1) }),
            ("valid token, accounts in turn", { try await $0.validToken(spread: $0.accounts.count) }),
            ("record read", { try await $0.read() }),
            ("record saved", { try await $0.save() }),
            (
                "1,000 tasks, one expired token, \(latency) ms endpoint",
                { try await $0.refresh(latency: .milliseconds(latency), tasks: 1000) }
            ),
        ]
    }
}

/// A store with accounts in it, and the client objects over it.
private struct Stage {
    let store: FileTokenStore
    let accounts: [AccountID]
    let realm = "work"

    init(folder: URL, accounts count: Int) async throws {
        store = try FileTokenStore(folder: folder, protection: .allowUnencryptedStorage)
        accounts = (0..<count).map { AccountID(account: "person-\($0)", realm: "work") }
        for account in accounts.prefix(count) { try await sessions().begin(credential(), for: account) }
    }

    private func sessions(
        exchange: @escaping SessionBackend.Refresh = { _ in throw CancellationError() }
    ) -> ProviderSessions {
        ProviderSessions(
            realm: realm, origin: .anyone(at: "https://id.example.com"), store: store, time: .system, exchange: exchange
        )
    }

    private func credential(lifetime: TimeInterval = 86_400) -> Credential {
        Credential(
            accessToken: Secret(String(repeating: "t", count: 900)), refreshToken: "refresh",
            issuedAt: Date() - 60, expiresAt: Date() - 60 + lifetime, signedInAt: Date(),
            backend: "https://id.example.com")
    }

    func validToken(spread: Int) async throws -> String {
        let sessions = sessions()
        // Coprime to the counts, so that every account is used and the processor's caches do not help.
        let order = (0..<max(spread, 1000)).map { accounts[$0 &* 7919 % spread] }
        for account in order { _ = try await sessions.accessToken(for: account, scopes: []) }
        return try await perCall(turns: 1000, of: 1000) { round in
            _ = try await sessions.accessToken(for: order[round % order.count], scopes: [])
        }
    }

    func provider() -> BenchmarkProvider { BenchmarkProvider(sessions: sessions(), account: accounts[0]) }

    func clientToken(through provider: any SessionProvider) async throws -> String {
        let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: store))
        _ = try await client.accessToken()
        return try await perCall(turns: 1000, of: 1000) { _ in _ = try await client.accessToken() }
    }

    func read() async throws -> String {
        try await perCall(turns: 100, of: 100) { round in
            _ = try await store.record(for: .account(accounts[round &* 7919 % accounts.count]))
        }
    }

    func save() async throws -> String {
        let key = StoreKey(.device, "benchmark")
        var generation = try await store.record(for: key)?.generation ?? 0
        return try await perCall(turns: 40, of: 5) { _ in
            generation = try await store.write(Data(count: 2048), for: key, replacing: generation).generation
        }
    }

    func refresh(latency: Duration, tasks: Int) async throws -> String {
        let requests = Locked(0)
        let sessions = sessions { credential in
            requests.withLock { $0 += 1 }
            try await Task.sleep(for: latency)
            var refreshed = credential
            refreshed.accessToken = "refreshed"
            (refreshed.issuedAt, refreshed.expiresAt) = (Date(), Date() + 3600)
            return .refreshed(refreshed)
        }
        try await sessions.begin(credential(lifetime: 60), for: accounts[0])
        let duration = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<tasks {
                    group.addTask { [accounts] in _ = try await sessions.accessToken(for: accounts[0], scopes: []) }
                }
                try await group.waitForAll()
            }
        }
        try await sessions.begin(credential(), for: accounts[0])
        let count = requests.withLock { $0 }
        return "\(format(duration)) (\(count) \(count == 1 ? "request" : "requests"))"
    }

    /// The time of one call: the average of the fastest round. Rounds are short, so that some are not affected by other load.
    private func perCall(turns: Int, of calls: Int, _ body: (Int) async throws -> Void) async throws -> String {
        var best = Duration.seconds(3600)
        for turn in 0..<turns {
            let duration = try await ContinuousClock().measure {
                for call in 0..<calls { try await body(turn * calls + call) }
            }
            best = min(best, duration)
        }
        return format(best / calls)
    }

    private func format(_ duration: Duration) -> String {
        let nanoseconds = Double(duration.components.attoseconds) / 1e9 + Double(duration.components.seconds) * 1e9
        switch nanoseconds {
        case ..<10_000: return String(format: "%.0f ns", nanoseconds)
        case ..<1_000_000: return String(format: "%.1f µs", nanoseconds / 1e3)
        default: return String(format: "%.1f ms", nanoseconds / 1e6)
        }
    }
}

/// A provider with nothing but sessions.
private struct BenchmarkProvider: SessionBackedProvider {
    let sessions: ProviderSessions
    let account: AccountID

    /// The account that was chosen before, found without listing all.
    func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup {
        try await sessions.lookUp(account)
    }

    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { account }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }
}

/// A table of text.
private struct Table: CustomStringConvertible {
    let title: String
    let columns: [String]
    private var rows: [[String]] = []

    init(title: String, columns: [String]) {
        self.title = title
        self.columns = columns
    }

    mutating func add(_ name: String, _ count: Int, _ result: String) {
        rows.append([name, String(count), result])
    }

    var description: String {
        let lines = [columns] + rows
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            zip(cells, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([title, "", line(columns), line(rule)] + rows.map(line)).joined(separator: "\n")
    }
}
