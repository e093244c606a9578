#if PostgreSQL
import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// A PostgreSQL server of its own in a temporary folder, with its own programs (Debian: postgresql). It ends with this process.
package final class PostgresServer: Sendable {
    /// The folder of the socket.
    package let folder: String
    private let supervisor = Locked<Supervisor?>(nil)
    private let pooler = Locked<Supervisor?>(nil)
    private let options: [String]

    /// A program that ends with this process, because its standard input does.
    private struct Supervisor: @unchecked Sendable {
        // Unchecked is sound: the process and its pipe are used by one caller at a time.
        private let process = Process()
        private let lifeline = Pipe()

        /// - Parameters:
        ///   - command: the program, with its process's number in `$server`.
        ///   - farewell: what ends it, and what to do then.
        init(_ command: String, farewell: String) throws {
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c",
                PostgresServer.asServer(
                    "exec >/dev/null 2>&1; \(command) </dev/null & server=$!; read word; \(farewell)"),
            ]
            process.standardInput = lifeline
            try process.run()
        }

        /// Ends the program, and tells its farewell that this process goes on.
        func end() {
            try? lifeline.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8))
            try? lifeline.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// Makes a cluster and starts its server.
    /// - Parameter options: further settings of the server, such as `max_connections=400`.
    package convenience init(options: [String] = []) throws {
        try self.init(options: options, Self.makeCluster)
    }

    private static func makeCluster(in folder: String) throws {
        try run(
            "\(try programs())/initdb -D \(folder)/data -U postgres -A trust -E UTF8 --locale=C -N >\(folder)/initdb.log"
        )
        // One role whose password counts.
        try run("sed -i '1i local all locked scram-sha-256' \(folder)/data/pg_hba.conf")
    }

    /// Makes a cluster whose server takes TLS connections alone, at an address of this machine.
    /// - Parameters:
    ///   - address: the address.
    ///   - port: the port.
    ///   - host: what its certificate is for.
    ///   - options: further settings.
    package convenience init(
        listeningAt address: String, port: Int, certifiedFor host: String, options: [String] = []
    ) throws {
        let listening = ["listen_addresses=\(address)", "port=\(port)", "ssl=on"]
        try self.init(options: listening + options) { folder in
            try Self.makeCluster(in: folder)
            let isAddress = host.allSatisfy { $0.isNumber || $0 == "." }
            try Self.run(
                """
                cd \(folder)/data; echo 'hostssl all all samenet trust' >>pg_hba.conf
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=\(host)' -days 1 \
                  -addext 'subjectAltName=\(isAddress ? "IP" : "DNS"):\(host)' -keyout server.key -out server.crt
                chmod 0600 server.key; cp server.crt \(folder)/server.crt; chmod 0644 \(folder)/server.crt
                """)
        }
    }

    /// The address of a database for a program on another machine, as ``init(listeningAt:port:certifiedFor:options:)`` set
    /// it up.
    package func remoteURL(_ database: String, at address: String, port: Int) -> Secret {
        Secret(
            "host=\(address) port=\(port) user=postgres dbname=\(database) sslmode=verify-full sslrootcert=\(folder)/server.crt"
        )
    }

    /// Makes a standby of `primary`, which waits for it from then on with every commit.
    package convenience init(standbyOf primary: PostgresServer) throws {
        try self.init(options: []) { folder in
            try Self.run(
                "\(try Self.programs())/pg_basebackup -h \(primary.folder) -U postgres -D \(folder)/data -R -c fast -X stream"
            )
        }
        try primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.sql("SELECT pg_reload_conf()")
        try Self.run(
            Self.waiting(
                for: "[ \"$(\(try Self.programs())/psql -XAtq -h \(primary.folder) -U postgres -d postgres -c "
                    + "\"SELECT sync_state FROM pg_stat_replication\")\" = sync ]", orPrinting: "\(folder)/log"))
    }

    private init(options: [String], _ make: (String) throws -> Void) throws {
        // A socket's path has at most 107 bytes.
        folder = "/tmp/identity-pg-\(UUID().uuidString.prefix(8))"
        self.options = options
        try Self.run("mkdir -m 0755 \(folder) && mkdir -m 0700 \(folder)/data", asRoot: true)
        if getuid() == 0 { try Self.run("chown -R postgres \(folder)", asRoot: true) }
        try make(folder)
        try start()
    }

    /// Makes a standby the primary.
    package func promote() throws { try sql("SELECT pg_promote()") }

    deinit {
        pooler.exchange(nil)?.end()
        kill()
        _ = try? Self.run("rm -rf \(folder)", asRoot: true)
    }

    /// Starts the server, and waits until it takes connections.
    package func start() throws {
        let settings = ["unix_socket_directories=\(folder)", "listen_addresses=", "fsync=off"] + options
        let command =
            "\(try Self.programs())/postgres -D \(folder)/data " + settings.map { "-c '\($0)'" }.joined(separator: " ")
        let started = try Supervisor(
            "\(command) >>\(folder)/log 2>&1",
            farewell: "kill -QUIT $server; wait; [ \"$word\" = keep ] || rm -rf \(folder)")
        supervisor.withLock { $0 = started }
        try Self.run(
            Self.waiting(
                for: "\(try Self.programs())/pg_isready -q -h \(folder) -p \(port)", orPrinting: "\(folder)/log"))
    }

    /// Ends the server at once, without writing anything back.
    package func kill() {
        supervisor.exchange(nil)?.end()
    }

    /// The address of a database through PgBouncer in transaction mode (Debian: pgbouncer), which is started when it is
    /// needed.
    package func pooledURL(_ database: String) throws -> Secret {
        try pooler.withLock { pooler in
            if pooler != nil { return }
            let program = "/usr/sbin/pgbouncer"
            try #require(
                FileManager.default.isExecutableFile(atPath: program), "PgBouncer is not installed (Debian: pgbouncer)")
            let settings = """
                [databases]
                * = host=\(folder) port=\(port) user=postgres
                [pgbouncer]
                unix_socket_dir = \(folder)
                listen_port = 6432
                auth_type = any
                pool_mode = transaction
                default_pool_size = 3
                max_client_conn = 1000
                pidfile = \(folder)/pgbouncer.pid
                """
            try Self.run("cat >\(folder)/pgbouncer.ini", input: settings)
            pooler = try Supervisor(
                "\(program) \(folder)/pgbouncer.ini >>\(folder)/pgbouncer.log 2>&1",
                farewell: "kill -KILL $server; wait")
            try Self.run(
                Self.waiting(for: "[ -S \(folder)/.s.PGSQL.6432 ]", orPrinting: "\(folder)/pgbouncer.log"))
        }
        return Secret("host=\(folder) port=6432 user=postgres dbname=\(database)")
    }

    /// Stops the server's processes as they are: their connections stay open, and nothing responds.
    package func pause() throws { try signal("STOP") }

    /// Lets the server go on.
    package func resume() throws { try signal("CONT") }

    /// Ends the connections of a program, as its machine's failure does.
    package func endConnections(of application: String, in database: String) throws {
        try sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '\(application)'",
            in: database)
    }

    /// Kills a process of the server that serves a program. The server then ends all connections and recovers.
    package func killBackend(of application: String, in database: String) throws {
        let find = "SELECT pid FROM pg_stat_activity WHERE application_name = '\(application)' LIMIT 1"
        try Self.run("kill -KILL \(try sql(find, in: database))")
    }

    private func signal(_ name: String) throws {
        try Self.run(
            "server=$(head -n 1 \(folder)/data/postmaster.pid); kill -\(name) $server $(pgrep -P $server)")
    }

    /// The address of a database.
    package func url(_ database: String, role: String = "postgres", application: String = "test") -> Secret {
        Secret("host=\(folder) port=\(port) user=\(role) dbname=\(database) application_name=\(application)")
    }

    /// Runs statements, and returns what they print.
    @discardableResult
    package func sql(_ statements: String, in database: String = "postgres") throws -> String {
        try Self.run(
            "\(try Self.programs())/psql -X -q -A -t -v ON_ERROR_STOP=1 -h \(folder) -p \(port) -U postgres -d \(database) -f -",
            input: statements)
    }

    /// An empty database.
    package func database() throws -> String {
        let name = "test_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        try sql("CREATE DATABASE \(name)")
        return name
    }

    /// The port, which is part of the socket's name.
    private var port: String {
        options.last { $0.hasPrefix("port=") }.map { String($0.dropFirst("port=".count)) } ?? "5432"
    }

    // MARK: Programs

    /// The folder of PostgreSQL's programs.
    private static func programs() throws -> String {
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let newest = versions.compactMap(Int.init).max().map { "\(debian)/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let folder = ([newest].compactMap(\.self) + path).first {
            FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
        }
        return try #require(folder, "PostgreSQL's server is not installed (Debian: postgresql)")
    }

    /// A Bash script that waits for a condition, and prints the log of the program that it depends on when it does not become
    /// true.
    private static func waiting(for condition: String, orPrinting log: String) -> String {
        "until \(condition); do ((SECONDS < \(60 * Patience.minutes))) || { cat \(log) >&2; exit 1; }; sleep 0.05; done"
    }

    /// PostgreSQL's server does not run as root.
    private static func asServer(_ command: String) -> String {
        let quoted = "'" + command.replacingOccurrences(of: "'", with: "'\\''") + "'"
        return getuid() == 0
            ? "cd /tmp; exec setpriv --reuid=postgres --regid=postgres --clear-groups bash -c \(quoted)" : command
    }

    private static let starting = Locked(())

    @discardableResult
    private static func run(_ command: String, asRoot: Bool = false, input: String? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", asRoot ? command : asServer(command)]
        // Files, since a process that is started meanwhile may keep the ends of pipes open.
        let folder = try TemporaryFolder()
        func file(_ name: String, _ content: String = "") throws -> URL {
            try Data(content.utf8).write(to: folder.file(name))
            return folder.file(name)
        }
        let (output, errors) = (try file("output"), try file("errors"))
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = try FileHandle(forReadingFrom: file("input", input ?? ""))
        // The end of a process is told by a descriptor, which one that is started meanwhile may keep open, too.
        try starting.withLock { _ in try process.run() }
        process.waitUntilExit()
        let text = try String(contentsOf: output, encoding: .utf8)
        let complaint = try String(contentsOf: errors, encoding: .utf8)
        guard process.terminationStatus == 0 else { throw ProgramError(command: command, complaint: complaint) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private struct ProgramError: Error {
        let command: String
        let complaint: String
    }

    /// The server that tests share which do nothing to it.
    package static func shared() throws -> PostgresServer {
        try sharedServer.withLock { server in
            if let server { return server }
            let started = try PostgresServer(options: ["max_connections=400"])
            server = started
            return started
        }
    }

    private static let sharedServer = Locked<PostgresServer?>(nil)
}
#endif
