#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import IdentityKit
@testable import IdentityPostgres

/// How many connections a process has at the server, whatever becomes of its calls.
@Suite(.endsInTime) struct PostgresConnectionLimitTests {
    private let key = StoreKey(.accounts, "work/ada")

    private var options: PostgresTokenStore.Options {
        var options = PostgresTokenStore.Options.waiting(.seconds(1))
        options.maximumConnections = 2
        return options
    }

    /// How many of a program's connections fulfil a condition.
    private func count(_ program: String, _ condition: String = "true", at server: PostgresServer) throws -> Int? {
        Int(
            try server.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(program)' AND \(condition)"))
    }

    private func messages(of calls: Int, in store: PostgresTokenStore) async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<calls {
                group.addTask { [key] in
                    do { return "\(try await store.record(for: key)?.generation ?? 0)" } catch {
                        return (error as? any IdentityFailure)?.message ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Callers that give up leave no more connections than the limit, and no statement that goes on")
    func bounded() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let hurried = try server.open(database, application: "bounded", options: options)
        while (try? await hurried.record(for: key)) == nil { await Task.yield() }
        try await server.locking("identity_records", in: database) {
            var all: [String] = []
            for _ in 0..<3 {
                all += await messages(of: 8, in: hurried)
                #expect(try count("bounded", at: server) ?? 9 <= 2)
            }
            // More connections would not help.
            #expect(all.allSatisfy { $0.contains("\"deadline\"") }, "\(all)")
            while try count("bounded", "wait_event_type = 'Lock'", at: server) != 0 { await Task.yield() }
        }
        while (try? await hurried.record(for: key))?.generation != 1 { await Task.yield() }
    }

    @Test("Whoever waits for a connection in vain while others are served is told the setting")
    func waiting() async throws {
        let server = try PostgresServer.shared()
        let address = try PostgresAddress(server.url(try server.database()), allowing: .verified)
        let pool = PostgresPool(address, .standard, limit: 1, deadline: .seconds(1))
        let pause = PostgresStatement(name: "pause", text: "SELECT pg_sleep(0.1)")
        let isTold = Locked(false)
        while !isTold.withLock({ $0 }) {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do { _ = try await pool.run(pause, []) } catch {
                            let isSentence = error.identityMessage.contains("\"maximumConnections\"")
                            isTold.withLock { $0 = $0 || isSentence }
                        }
                    }
                }
            }
        }
    }

    @Test("Whoever waits for a database that does not respond is not told to open more connections to it")
    func silent() async throws {
        // Connections are made there, and nobody responds.
        let hole = try #require(try LoopbackSocket.listen(on: "127.0.0.1", port: 0))
        defer { try? FileHandle(fileDescriptor: hole.descriptor).close() }
        let url = Secret("host=127.0.0.1 port=\(hole.port) user=postgres dbname=identity sslmode=disable")
        let all = await messages(of: 8, in: try PostgresTokenStore(url: url, options: options))
        #expect(all.allSatisfy { $0.contains("\"deadline\"") && !$0.contains("maximumConnections") }, "\(all)")
    }

    @Test("Whoever asks a store is told how many connections are in use, and how many calls wait for one")
    func figures() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        var options = PostgresTokenStore.Options.patient
        options.maximumConnections = 2
        let store = try server.open(database, options: options)
        // As a configuration opens it.
        let sealed = SealedTokenStore(store, storeID: "fleet", key: KeyFile(path: "/unused.key"))
        let measured = try #require(sealed.layer((any MeasuredTokenStore).self))
        var calls: Task<[String], Never>?
        try await server.locking("identity_records", in: database) {
            calls = Task { await messages(of: 5, in: store) }
            while measured.figures[.connectionsInUse] != 2 || measured.figures[.waitingCalls] != 3 {
                await Task.yield()
            }
        }
        #expect(await calls?.value == Array(repeating: "0", count: 5))
        #expect(measured.figures[.connectionsInUse] == 0 && measured.figures[.waitingCalls] == 0)
    }

    @Test("Through a pooler a statement whose caller gave up is ended too")
    func pooled() async throws {
        let server = try PostgresServer()
        let (_, database) = try await server.store()
        let hurried = try PostgresTokenStore(url: try server.pooledURL(database), options: options)
        while (try? await hurried.records(in: .accounts)) == nil { await Task.yield() }
        try await server.locking("identity_records", in: database) {
            _ = await messages(of: 4, in: hurried)
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while try server.sql(waiting) != "0" { await Task.yield() }
        }
        while (try? await hurried.records(in: .accounts)) == nil { await Task.yield() }
    }

    @Test("The tasks that wait for another program's refresh need one connection")
    func shared() async throws {
        let fleet = try await PostgresFleetSession(options: .lasting)
        try await fleet.begin(on: fleet.sessions())
        var options = PostgresTokenStore.Options.lasting
        options.maximumConnections = 1
        let store = try fleet.server.open(fleet.database, application: "sharing", options: options)
        let sessions = fleet.sessions(of: store)
        // Until nothing but a refresh needs the database.
        _ = store.marker(for: .account(fleet.account))
        while !store.hearsChanges { await Task.yield() }
        #expect(try await sessions.accessToken(for: fleet.account, scopes: []) == "access-0")
        let lease = try #require(try await fleet.store.lease(for: .account(fleet.account)))
        fleet.expire()
        async let tokens = withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await sessions.accessToken(for: fleet.account, scopes: [])
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        while store.sentStatements["take"] ?? 0 < 3 { await Task.yield() }
        // The other one hears of changes.
        #expect(try count("sharing", at: fleet.server) ?? 9 <= 2)
        await lease.release()
        #expect(try await tokens == ["access-1"])
        #expect(fleet.requestCount == 1)
    }

    @Test("64 processes with the default stay below 400 connections, those that hear of changes included")
    func fleet() {
        #expect(64 * (PostgresTokenStore.Options().maximumConnections + 1) < 400 - 3)
    }
}
#endif
