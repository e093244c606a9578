#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import IdentityKit
@testable import IdentityPostgres

/// Several hosts in one address: some are away, some take no writes.
@Suite(.endsInTime) struct PostgresHostsTests {
    private let key = StoreKey(.accounts, "work/ada")

    @Test("A host that does not respond, one that is unknown and one that refuses do not hide the one behind them")
    func blackHole() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        // Connections are made there, and nobody responds.
        let hole = try #require(try LoopbackSocket.listen(on: "127.0.0.1", port: 0))
        defer { try? FileHandle(fileDescriptor: hole.descriptor).close() }
        let hosts = [
            ("127.0.0.1", "\(hole.port)"), ("nowhere.invalid", "5432"), ("127.0.0.1", "\(FreePort.find())"),
            (server.folder, "5432"),
        ]
        let url = Secret(
            "host=\(hosts.map(\.0).joined(separator: ",")) port=\(hosts.map(\.1).joined(separator: ",")) user=postgres "
                + "dbname=\(database) sslmode=verify-full")
        let store = try PostgresTokenStore(url: url, options: .patient)
        #expect(try await store.write(Data("a".utf8), for: key, replacing: 0).generation == 1)
    }

    @Test(
        "One of several hosts has two seconds or connect_timeout, and the only one the whole time",
        arguments: [
            ("/a,/b", nil, 2), ("/a,/b", "1", 1), ("/a", "7", 7), ("/a", nil, nil), ("127.0.0.1,127.0.0.2", nil, 2),
            ("127.0.0.1", nil, nil), ("/a,/b", "0", nil),
        ] as [(String, String?, Int?)])
    func timeouts(hosts: String, timeout: String?, seconds: Int?) {
        var options = ["host": hosts]
        options["connect_timeout"] = timeout
        let deadline = ContinuousClock.now + .seconds(200)
        var tried: [String?] = []
        #expect(throws: PostgresError.timedOut) {
            try PostgresHosts(options).connect(until: deadline) { (host, end) throws(PostgresError) in
                tried.append(host.name)
                if let seconds { #expect(end <= .now + .seconds(seconds)) } else { #expect(end == deadline) }
                throw .timedOut
            }
        }
        #expect(tried == hosts.split(separator: ",").map(String.init))
    }

    @Test("The host that served last is the first one next time, and a refusal that concerns all ends the search")
    func order() throws {
        let hosts = PostgresHosts(["host": "/a,/b,/c", "port": "1,2,3"])
        var tried: [String?] = []
        func connect(_ failing: [String: PostgresError]) throws(PostgresError) {
            try hosts.connect(until: .now + .seconds(200)) { (host, _) throws(PostgresError) in
                tried.append(host.port)
                if let failure = failing[host.port ?? ""] { throw failure }
            }
        }
        try connect(["1": .refused(code: "25006", message: "session is read-only")])
        try connect(["2": .unreachable("gone")])
        #expect(tried == ["1", "2", "2", "3"])
        let refusal = PostgresError.refused(code: "28P01", message: "no")
        #expect(throws: refusal) { try connect(["3": refusal]) }
        #expect(tried.last == "3")
    }

    @Test(
        "A host or an address that takes the whole time of a call is not the first one of the next call",
        arguments: [("/a,/b", ["/a", "/b"]), ("db", ["192.0.2.1", "192.0.2.2"])])
    func wholeTime(host: String, places: [String]) throws {
        let hosts = PostgresHosts(["host": host, "connect_timeout": "200"], resolver: { _ in places })
        var tried: [String?] = []
        func connect() throws(PostgresError) {
            try hosts.connect(until: .now + .milliseconds(50)) { (host, end) throws(PostgresError) in
                tried.append(host.address ?? host.name)
                guard tried.last == places[0] else { return }
                while ContinuousClock.now < end {}
                throw .timedOut
            }
        }
        // On a busy machine the time of a call may be over before it tries a host.
        while tried.count < 2 { try? connect() }
        #expect(tried == places)
        // The first place serves again when the second is gone, and is then the first one of the next call.
        tried = []
        for _ in 0..<2 {
            try hosts.connect(until: .now + .seconds(200)) { (host, _) throws(PostgresError) in
                tried.append(host.address ?? host.name)
                if tried.last == places[1] { throw .unreachable("gone") }
            }
        }
        #expect(tried == [places[1], places[0], places[0]])
    }

    @Test("A name whose look-up does not end costs no more than its host's time, and does not hide the next host")
    func slowNames() throws {
        let isOver = DispatchSemaphore(value: 0)
        // Nobody waits any more, so the threads may end.
        defer { for _ in 0..<2 { isOver.signal() } }
        let resolver = { @Sendable (_: String) -> [String] in
            isOver.wait()
            return []
        }
        var tried: [String?] = []
        func connect(_ options: [String: String], within time: Duration) throws {
            try PostgresHosts(options, resolver: resolver).connect(until: .now + time) { host, _ in
                tried.append(host.name)
            }
        }
        try connect(["host": "slow,/b", "connect_timeout": "1"], within: .seconds(200))
        #expect(tried == ["/b"])
        #expect(throws: PostgresError.unreachable("the name slow was not looked up in time")) {
            try connect(["host": "slow"], within: .seconds(1))
        }
        #expect(tried == ["/b"])
    }

    @Test("A standby is passed over, and an old primary that comes back is neither read nor written")
    func failover() async throws {
        let primary = try PostgresServer()
        let standby = try PostgresServer(standbyOf: primary)
        let database = try primary.database()
        let count = "SELECT count(*) FROM pg_database WHERE datname = '\(database)'"
        while try standby.sql(count) != "1" { await Task.yield() }
        let url = Secret("host=\(standby.folder),\(primary.folder) user=postgres dbname=\(database)")
        let patient = try PostgresTokenStore(url: url, options: .patient)
        try await patient.migrate()
        try await patient.write(Data("a".utf8), for: key, replacing: 0)
        let store = try PostgresTokenStore(url: url, options: .waiting(.seconds(1)))
        while (try? await store.record(for: key))?.generation != 1 { await Task.yield() }
        primary.kill()
        try standby.promote()
        while (try? await store.record(for: key))?.generation != 1 { await Task.yield() }
        standby.kill()
        try primary.start()
        for _ in 0..<3 {
            let error = await #expect(throws: TokenStoreError.self) { try await store.record(for: key) }
            #expect(error?.failureCode == "store_unavailable")
        }
        // Another program does not know.
        let other = try PostgresTokenStore(url: url, options: .patient)
        #expect(try await other.record(for: key)?.generation == 1)
    }

    @Test("Of each server the newest timeline counts")
    func timelines() {
        let hosts = PostgresHosts([:])
        let origins = [(1, 3), (1, 3), (1, 2), (2, 1), (1, 4), (1, 3)].map(PostgresHosts.Origin.init)
        #expect(origins.map(hosts.admit) == [true, true, false, true, true, false])
    }

    @Test("A file of passwords is used")
    func passfile() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        _ = try? server.sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
        try server.sql(PostgresSchema().grants(to: "locked"), in: database)
        let folder = try TemporaryFolder()
        let file = folder.file("passwords")
        try Data("*:*:*:locked:right\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let url = Secret(server.url(database, role: "locked").reveal() + " passfile=\(file.path)")
        #expect(try await PostgresTokenStore(url: url, options: .patient).record(for: key) == nil)
    }
}
#endif
