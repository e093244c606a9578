#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres

/// A store on PostgreSQL with `accounts` unused accounts. The measurements sign 50 other accounts in.
struct FleetDatabase {
    let url: String
    let accounts: Int
    private let tables: PostgresTables
    private let base: PostgresTokenStore
    private let store: SealedTokenStore

    init(url: String, accounts: Int, keyFile: String) throws {
        (self.url, self.accounts) = (url, accounts)
        tables = try PostgresTables(prefix: "benchmark_\(accounts)_")
        var options = PostgresTokenStore.Options()
        options.tables = tables
        options.maximumConnections = 16
        base = try PostgresTokenStore(url: Secret(url), options: options)
        store = SealedTokenStore(base, storeID: "benchmark", key: KeyFile(path: keyFile))
    }

    /// Creates the tables and inserts the unused accounts. Each record has 1,400 bytes, about the size of an encrypted
    /// session.
    func fill() async throws {
        try await base.migrate()
        let records = "\"\(tables.prefix)records\""
        try sql(
            """
            INSERT INTO \(records) (collection, id, name, generation, content)
            SELECT 'accounts', sha256(convert_to('other/' || number, 'UTF8')), convert_to('other/' || number, 'UTF8'), 1,
                decode(repeat('5a', 1400), 'hex')
            FROM generate_series(1, \(accounts)) AS number;
            ANALYZE \(records);
            """)
    }

    func measure(refreshes: Int) async throws -> FleetRow {
        let fleet = try await FleetSessions(over: store)
        let (sessions, names) = (fleet.sessions, fleet.names)

        _ = try await sessions.lookUp(names[0])
        let cached = try await Self.cachedToken(of: names[0], in: sessions)
        let roundTrips = try await Self.times(500) { _ = try await base.record(for: .account(names[0])) }
        let stranger = AccountID(account: "nobody", realm: BenchmarkSessions.realm)
        let lookUps = try await Self.times(500) { _ = try await sessions.lookUp(stranger) }

        // Load the session into memory before the measurement, because a running program has the session there. The measured
        // refresh then begins with taking the lease, by which the store lets only one process refresh a session at a time.
        var (alone, sent) = ([Double](), 0)
        for number in 0..<refreshes {
            let name = names[number % names.count]
            _ = try await sessions.lookUp(name)
            fleet.expire()
            let before = base.sentStatements.values.reduce(0, +)
            alone.append(try await Self.time { _ = try await sessions.accessToken(for: name, scopes: []) })
            sent += base.sentStatements.values.reduce(0, +) - before
        }
        alone.sort()
        let rounds = max(1, refreshes / names.count)
        var together = 0.0
        for _ in 0..<rounds {
            fleet.expire()
            together += try await Self.time { try await fleet.refreshTogether() }
        }
        return FleetRow(
            accounts: accounts, cachedToken: cached, roundTrip: roundTrips,
            lookUp: lookUps, refresh: alone[refreshes / 2],
            slowRefresh: alone[min(refreshes - 1, refreshes * 19 / 20)],
            statementsPerRefresh: Double(sent) / Double(refreshes),
            refreshesPerSecond: Double(rounds * names.count) / together)
    }

    /// Returns the server's plan for each statement of the store. The plan is generic: it does not depend on parameter
    /// values.
    func plans() throws -> [(name: String, plan: String)] {
        try base.explanations.map { ($0.name, try sql("SET plan_cache_mode = force_generic_plan; " + $0.script)) }
    }

    /// Returns a table of the number of writes per second that the server handles, for each commit delay and number of
    /// writers.
    /// - Parameters:
    ///   - commits: the commit delays in milliseconds.
    ///   - seconds: the duration of each measurement.
    func rates(commits: [Int], seconds: Int) throws -> String {
        try writes().table(commits: commits, seconds: seconds)
    }

    /// Sends about `count` writes. Returns a sentence with the growth of the table of records in KB, and with the
    /// number of writes that stayed on their page (heap-only tuple updates).
    func growth(writes count: Int) throws -> String {
        let state = """
            SELECT pg_relation_size(relid) / 1024, n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
            WHERE relname = '\(tables.prefix)records'
            """
        func numbers() throws -> [Int] {
            try sql(state).split(separator: "|").compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
        let (before, clients) = (try numbers(), 16)
        let all = max(1, count / clients) * clients
        _ = try writes().send(["-c", "\(clients)", "-t", "\(all / clients)"])
        // Poll, because the server updates its statistics with a delay.
        for _ in 0..<100 {
            let after = try numbers()
            guard before.count == 3, after.count == 3, after[1] - before[1] == all else { continue }
            return "\(after[2] - before[2]) of \(all) writes stayed on their page; the table grew from \(before[0]) to "
                + "\(after[0]) KB"
        }
        throw Skipped(description: "the server has not counted \(all) writes")
    }

    private func writes() throws -> FleetRates {
        let script = base.explanations.first { $0.name == "replace" }?.script ?? ""
        guard let start = script.range(of: " AS "), let end = script.range(of: "; EXPLAIN") else {
            throw Skipped(description: "the store writes otherwise")
        }
        return FleetRates(self, statement: String(script[start.upperBound..<end.lowerBound]))
    }

    func remove() {
        let names = ["records", "leases", "changes", "audit", "schema"].map { "\"\(tables.prefix)\($0)\"" }
        _ = try? sql("DROP TABLE IF EXISTS \(names.joined(separator: ", "))")
    }

    @discardableResult
    func sql(_ script: String) throws -> String {
        try run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", script])
    }

    /// Runs a program from the `PATH` and returns its standard output.
    /// - Throws: ``Skipped`` if the exit status is not 0, or the error of starting the program.
    func run(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        try Self.withoutBlockedSignals { try process.run() }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Skipped(description: "\(command[0]) failed") }
        return text
    }

    /// Runs `body` with no signal blocked in this thread, because a child process inherits the blocked signals. pgbench
    /// ends a run of a given duration with a signal.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try body()
    }

    private static func time(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return start.duration(to: .now) / .seconds(1)
    }

    /// Returns the median time in seconds of `count` runs of `body`.
    private static func times(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<count { times.append(try await time(body)) }
        return times.sorted()[count / 2]
    }

    /// Returns the time in seconds to get a cached, valid token: the median of 50 rounds of 2,000 calls.
    static func cachedToken(of account: AccountID, in sessions: ProviderSessions) async throws -> Double {
        let calls = 2_000
        return try await times(50) {
            for _ in 0..<calls { _ = try await sessions.accessToken(for: account, scopes: []) }
        } / Double(calls)
    }
}

/// The sessions of 50 accounts that were signed in for a measurement.
private struct FleetSessions: Sendable {
    let sessions: ProviderSessions
    let names: [AccountID]
    private let shift: Locked<TimeInterval>

    init(over store: SealedTokenStore) async throws {
        let shift = Locked<TimeInterval>(0)
        let now = { @Sendable in Date() + shift.withLock { $0 } }
        self.shift = shift
        sessions = ProviderSessions(
            realm: BenchmarkSessions.realm, origin: .anyone(at: BenchmarkSessions.backend), store: store,
            time: TimeSource(now: now, sleep: { try await Task.sleep(for: $0) })
        ) { _ in .refreshed(.sample(at: now(), lifetime: 3_600)) }
        names = (0..<50).map { AccountID(account: "user-\($0)", realm: BenchmarkSessions.realm) }
        for name in names { try await sessions.begin(.sample(at: now(), lifetime: 3_600), for: name) }
    }

    /// Advances the clock, so that all access tokens expire.
    func expire() { shift.withLock { $0 += 7_200 } }

    /// Asks for the token of each session, in 16 tasks.
    func refreshTogether() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for name in names.enumerated() where name.offset % 16 == task {
                        _ = try await sessions.accessToken(for: name.element, scopes: [])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
#endif
