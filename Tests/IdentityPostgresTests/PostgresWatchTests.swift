#if PostgreSQL
import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityPostgres

/// What another machine changes is known here in time.
@Suite(.endsInTime) struct PostgresWatchTests {
    private let key = StoreKey(.accounts, "work/ada")

    @Test("A cached session costs no statement, until another machine changes it")
    func cached() async throws {
        let server = try PostgresServer.shared()
        let (here, database) = try await server.store()
        let there = try server.open(database)
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        let marker = try #require(here.marker(for: key))
        let known = try await value(of: marker, in: here, otherThan: 0)
        let before = here.sentStatements
        // The marker is 0 while a connection that was lost under load is opened again.
        for _ in 0..<1_000 { #expect([0, known].contains(marker.value)) }
        #expect(here.sentStatements == before)
        try await there.write(nil, for: key, replacing: 1)
        #expect(try await value(of: marker, in: here, otherThan: known) > known)
    }

    @Test("Without a server nothing is taken for unchanged after the longest delay")
    func bound() async throws {
        let server = try PostgresServer()
        let (there, database) = try await server.store()
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        var options = PostgresTokenStore.Options.waiting(.milliseconds(500))
        options.longestDelay = .seconds(1)
        let store = try server.open(database, options: options)
        let marker = try #require(store.marker(for: key))
        _ = try await value(of: marker, in: store, otherThan: 0)
        // A server that does not respond, rather than one whose connections end.
        try server.pause()
        while marker.value != 0 { await Task.yield() }
        try server.resume()
        #expect(try await value(of: marker, in: store, otherThan: 0) != 0)
    }

    @Test("What a read finds first is a change for those who have looked before it")
    func readFirst() async throws {
        let server = try PostgresServer.shared()
        let (there, database) = try await server.store()
        let here = try server.open(database)
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        let marker = try #require(here.marker(for: key))
        while marker.value == 0 { await Task.yield() }
        let known = marker.value
        try await there.write(Data("b".utf8), for: key, replacing: 1)
        #expect(try await here.record(for: key)?.generation == 2)
        #expect(marker.value != known)
    }

    @Test("A sign-out on one machine ends the token on another that has it at hand")
    func signOut() async throws {
        let fleet = try await PostgresFleetSession()
        let (here, there) = (fleet.sessions(), try fleet.sessionsElsewhere())
        try await fleet.begin(on: there)
        #expect(try await here.accessToken(for: fleet.account, scopes: []) == "access-0")
        try await there.end(fleet.account)
        do {
            while true {
                _ = try await here.accessToken(for: fleet.account, scopes: [])
                await Task.yield()
            }
        } catch {
            #expect(error as? SessionError == .notSignedIn(fleet.account))
        }
    }

    @Test("A machine that hears nothing hands out no token after the longest delay")
    func cutOff() async throws {
        let fleet = try await PostgresFleetSession(on: try PostgresServer())
        try await fleet.begin(on: fleet.sessions())
        var options = PostgresTokenStore.Options.waiting(.milliseconds(500))
        options.longestDelay = .seconds(1)
        let sessions = try fleet.sessionsElsewhere(options: options)
        while (try? await sessions.accessToken(for: fleet.account, scopes: [])) != "access-0" { await Task.yield() }
        try fleet.server.pause()
        do {
            while true {
                _ = try await sessions.accessToken(for: fleet.account, scopes: [])
                await Task.yield()
            }
        } catch {
            #expect((error as? any IdentityFailure)?.failureCode == "store_unavailable")
        }
        try fleet.server.resume()
    }

    @Test("Changes that were made while the connection was gone are told when it is back")
    func missed() async throws {
        let server = try PostgresServer.shared()
        let (there, database) = try await server.store()
        let here = try server.open(database, application: "here")
        var changes = here.changes(in: nil).makeAsyncIterator()
        // At once, before the connection can be there.
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        // A change without a name, of any account, comes as well if the first poll is late or the connection was gone.
        var change = await changes.next()
        while change?.key.name.isEmpty == true { change = await changes.next() }
        #expect(change?.generation == 1)
        while !here.hearsChanges { await Task.yield() }
        try server.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'here'", in: database
        )
        try await there.write(Data("b".utf8), for: key, replacing: 1)
        change = await changes.next()
        while change?.key.name.isEmpty == true { change = await changes.next() }
        #expect(change?.generation == 2)
        #expect(here.figures[.lostWatches] ?? 0 > 0)
    }

    @Test("A current account is told again when changes may have been missed, also after its record has begun anew")
    func currentAccounts() async throws {
        let server = try PostgresServer.shared()
        let (here, database) = try await server.store()
        let there = try server.open(database)
        let key = StoreKey(.currentAccounts, "work")
        var changes = here.changes(in: .currentAccounts).makeAsyncIterator()
        while !here.hearsChanges { await Task.yield() }
        for generation: UInt64 in 0...1 {
            try await there.write(Data("a".utf8), for: key, replacing: generation)
            #expect(await changes.next()?.generation == generation + 1)
        }
        try await there.forget(key)
        try await there.write(Data("b".utf8), for: key, replacing: 0)
        #expect(await changes.next()?.generation == 1)
        // A record that was removed, and a change whose own row is gone.
        try server.sql(
            """
            BEGIN;
            UPDATE identity_records SET generation = 2 WHERE collection = 'current-accounts';
            INSERT INTO identity_changes (record) VALUES (0);
            COMMIT
            """, in: database)
        #expect(await changes.next()?.generation == 2)
    }

    @Test("A current account is told when the first poll is so late that the row of its change may be gone")
    func lateFirstPoll() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        let key = StoreKey(.currentAccounts, "work")
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try server.sql("DELETE FROM identity_changes", in: database)
        // An hour passes between the start and the first poll.
        let (isStarted, told) = (Locked(false), Locked<[StoreKey]>([]))
        let watch = PostgresWatch(
            try PostgresAddress(server.url(database), allowing: .verified), .standard, validity: .seconds(30),
            send: { change in told.withLock { $0.append(change.key) } }, missed: {},
            now: { ContinuousTime.now + (isStarted.exchange(true) ? 3_600_000_000_000 : 0) })
        watch.start()
        defer { watch.stop() }
        while watch.markers.epoch == nil { await Task.yield() }
        #expect(told.withLock { $0 }.contains(key))
    }

    @Test("A current account is told again after a crash of the server, which forgets the changes")
    func crash() async throws {
        let server = try PostgresServer()
        let (there, database) = try await server.store()
        let here = try server.open(database, application: "here")
        var changes = here.changes(in: .currentAccounts).makeAsyncIterator()
        while !here.hearsChanges { await Task.yield() }
        try await there.write(Data("a".utf8), for: StoreKey(.currentAccounts, "work"), replacing: 0)
        #expect(await changes.next()?.generation == 1)
        // A change whose own row the crash has removed.
        try server.sql("UPDATE identity_records SET generation = 2", in: database)
        try server.killBackend(of: "here", in: database)
        #expect(await changes.next()?.generation == 2)
        #expect(here.figures[.lostWatches] ?? 0 > 0)
    }

    @Test("A listener for one account hears of its end when the record is gone, and with it whose change it was")
    func goneRecord() async throws {
        let fleet = try await PostgresFleetSession()
        let provider = StoredAccountProvider(
            realm: "work", backend: "https://id.example.com", store: fleet.sealed, time: fleet.clock.dates)
        let client = IdentityClient(
            provider: try IdentityProviderChain([.init("work", provider)], store: fleet.sealed),
            environment: IdentityEnvironment(store: fleet.sealed, time: fleet.clock.dates))
        var events = client.events(as: fleet.account).makeAsyncIterator()
        #expect(await events.next() == .signedOut)
        try await fleet.begin(on: try fleet.sessionsElsewhere())
        #expect(await events.next() == .signedIn(fleet.account))
        // As after an erasure between two polls, which removes the record at once.
        try fleet.server.sql(
            """
            BEGIN;
            DELETE FROM identity_records WHERE collection = 'accounts';
            INSERT INTO identity_changes (record) VALUES (0);
            COMMIT
            """, in: fleet.database)
        #expect(await events.next() == .signedOut)
    }

    @Test("A change is not lost behind very many changes of other records")
    func manyChanges() async throws {
        let server = try PostgresServer.shared()
        let (here, database) = try await server.store()
        let there = try server.open(database)
        let busy = StoreKey(.accounts, "work/busy")
        for key in [busy, key] { try await there.write(Data("a".utf8), for: key, replacing: 0) }
        let marker = try #require(here.marker(for: key))
        let known = try await value(of: marker, in: here, otherThan: 0)
        // In one transaction, so that one poll meets all of them.
        try server.sql(
            """
            BEGIN;
            INSERT INTO identity_changes (record)
                SELECT number FROM identity_records, generate_series(1, 6000) WHERE name = 'work/busy'::bytea;
            UPDATE identity_records SET generation = 2, content = NULL WHERE name = 'work/ada'::bytea;
            INSERT INTO identity_changes (record) SELECT number FROM identity_records WHERE name = 'work/ada'::bytea;
            COMMIT
            """, in: database)
        while marker.value == known { await Task.yield() }
    }

    @Test("A change of a record with a long name is told")
    func longName() async throws {
        let server = try PostgresServer.shared()
        let (here, database) = try await server.store()
        let there = try server.open(database)
        let key = StoreKey(.accounts, String(repeating: "long", count: 2_000))
        var changes = here.changes(in: nil).makeAsyncIterator()
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        // A change without a name, of any account, comes as well if the first poll is late.
        var change = await changes.next()
        while change?.key.name.isEmpty == true { change = await changes.next() }
        #expect(change == StoreChange(key: key, generation: 1, hasContent: true))
    }

    /// The marker's value, once it is neither `known` nor 0.
    private func value(
        of marker: any StoreVersion, in store: PostgresTokenStore, otherThan known: UInt64
    ) async throws -> UInt64 {
        while true {
            let value = marker.value
            if value != known && value != 0 { return value }
            _ = try? await store.record(for: key)
            await Task.yield()
        }
    }
}
#endif
