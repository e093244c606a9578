#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// Tokens for several resources of one session, on many hosts that have a database and nothing else in common.
@Suite(.endsInTime) struct PostgresResourceTests {
    private static let (hosts, tasks) = (16, 8)
    private static let resources = (1...3).map { "https://api\($0).example.com" }

    /// A host with connections of its own.
    private struct Host: Sendable {
        let store: PostgresTokenStore
        let sessions: ProviderSessions
        let account: AccountID

        init(of fleet: PostgresFleetSession) throws {
            var options = PostgresTokenStore.Options.lasting
            // As long as the test takes, so that a busy machine adds no look-up.
            options.longestDelay = options.deadline
            options.maximumConnections = 2
            store = try fleet.server.open(fleet.database, options: options)
            (sessions, account) = (fleet.sessions(of: store), fleet.account)
        }

        func token(_ resource: String) async throws -> String {
            try await sessions.accessToken(for: account, scopes: [], resource: resource)
        }

        /// The tokens that tasks get which ask at the same time.
        func tokens() async throws -> [String] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<(tasks * resources.count) {
                    group.addTask { try await token(resources[number % resources.count]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    @Test("Sixteen hosts send three requests for three resources, in turn, and look as often as something changes")
    func inTurn() async throws {
        let fleet = try await PostgresFleetSession()
        try await fleet.begin(on: fleet.sessions())
        let hosts = try (0..<Self.hosts).map { _ in try Host(of: fleet) }
        func statements() -> [String: Int] {
            hosts.reduce(into: [:]) { $0.merge($1.store.sentStatements, uniquingKeysWith: +) }
        }
        for host in hosts {
            _ = host.store.marker(for: .account(fleet.account))
            while !host.store.hearsChanges { await Task.yield() }
        }
        let callers = Self.hosts * Self.tasks * Self.resources.count
        for round in 1...2 {
            let before = statements()
            let tokens = try await withThrowingTaskGroup(of: [String].self, returning: [String].self) { group in
                for host in hosts { group.addTask { try await host.tokens() } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(tokens.count == callers && Set(tokens).count == 3)
            #expect(Set(tokens.map { String($0.prefix { $0 != " " }) }) == Set(Self.resources))
            // Each with the refresh token that the one before has brought.
            #expect(fleet.sentTokens == (0..<round * 3).map { Secret("refresh-\($0)") })
            let sent = statements().merging(before) { $0 - $1 }
            // A note and a result for each request.
            #expect(sent["create", default: 0] + sent["replace", default: 0] == 6)
            // A caller looks once; whoever waits looks once, whenever the session has changed, and once more with the lease.
            let changes = 4
            #expect(sent["read", default: 0] + sent["read3", default: 0] <= callers * (changes + 3))

            // What is there is found with one look by each host, if it has not seen it yet.
            let there = statements()
            for host in hosts {
                for _ in 0..<Self.tasks {
                    for resource in Self.resources { #expect(tokens.contains(try await host.token(resource))) }
                }
            }
            let later = statements().merging(there) { $0 - $1 }.filter {
                !["extend", "end", "version"].contains($0.key) && $0.value != 0
            }
            #expect(later["read", default: 0] <= Self.hosts && later.keys.allSatisfy { $0 == "read" }, "\(later)")
            fleet.expire()
        }
    }
}
#endif
