#if PostgreSQL
import Foundation
import IdentityKit
import CIdentityPostgres

/// A connection to the server. Statements run on the connection's own thread, and every wait for the server ends by a
/// deadline.
actor PostgresConnection {
    private let thread = ConnectionThread()
    private let interruption: WakePipe
    private let address: PostgresAddress
    /// Number of milliseconds after which the server aborts a statement.
    private let limit: String
    private var session: LibPQSession?
    private var origin: PostgresHosts.Origin?
    private var prepared: Set<String> = []
    /// Whether a pooler such as PgBouncer is between this program and the server. Statements may then run in different
    /// sessions of the server, so no state may be kept in a session.
    private(set) var isPooled = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Makes a connection, which is not open yet.
    /// - Parameter limit: the time after which the server aborts a statement.
    /// - Throws: ``PostgresError`` when this process has no file descriptors left.
    init(to address: PostgresAddress, limit: Duration = .seconds(5)) throws(PostgresError) {
        self.address = address
        self.limit = String(Int(max(limit / .milliseconds(1), 1)))
        interruption = try WakePipe()
    }

    /// Begins a turn: a series of statements that can be interrupted together.
    /// - Returns: the number of the turn, for ``interrupt(_:)``.
    nonisolated func beginTurn() -> UInt64 { interruption.beginTurn() }

    /// Interrupts the current and every later wait of a turn. Does nothing after another turn has begun.
    nonisolated func interrupt(_ turn: UInt64) { interruption.wake(turn) }

    /// Connects to one of the hosts of the address, and checks the server's settings.
    /// - Throws: ``PostgresError``, also for a server whose `synchronous_commit` is `off` or `local`, and for a former
    ///   primary if this program has connected to the standby that was promoted in its place.
    func open(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        try address.hosts.connect(until: deadline) { (host, end) throws(PostgresError) in
            let session = try LibPQSession(startingWith: self.address.keywords(for: host))
            try session.finishConnecting { (socket, events) throws(PostgresError) in
                try self.wait(for: events, on: socket, until: end)
            }
            try self.greet(session, until: end)
            self.session = session
        }
    }

    private func greet(_ session: LibPQSession, until deadline: ContinuousClock.Instant) throws(PostgresError) {
        let process = Int64(session.serverProcess)
        let greeting = { (more: String) throws(PostgresError) -> PostgresRows.Row? in
            // Change no settings of a pooler's session, because another program may use the session next.
            try session.send(
                """
                SELECT pg_backend_pid()::bigint, current_setting('synchronous_commit'),
                    set_config('statement_timeout', $1::text, pg_backend_pid() <> $2::bigint)\(more)
                """, [.text(self.limit), .integer(process)])
            return try self.result(of: session, until: deadline).first
        }
        let row: PostgresRows.Row?
        do throws(PostgresError) {
            row = try greeting(
                """
                , system_identifier, CASE WHEN pg_is_in_recovery() THEN NULL ELSE
                    ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END
                FROM pg_control_system()
                """)
        } catch {
            // Servers other than PostgreSQL itself may lack the functions that return the timeline (``PostgresHosts/Origin``).
            guard error.leavesConnectionUsable else { throw error }
            row = try greeting("")
        }
        isPooled = row?.integer(0) != process
        guard let commit = row?.text(1), !["off", "local"].contains(commit) else {
            throw .refused(
                code: "synchronous_commit",
                message: "synchronous_commit is off, so a rotated token could be lost. Run: ALTER ROLE \(address.role) "
                    + "SET synchronous_commit = on")
        }
        guard let system = row?.integer(3), let timeline = row?.integer(4) else { return }
        let origin = PostgresHosts.Origin(system: system, timeline: timeline)
        guard address.hosts.admit(origin) else { throw .refused(code: "timeline", message: "") }
        self.origin = isPooled ? nil : origin
    }

    /// Runs a statement and returns its result. Without a pooler, prepares the statement at its first use.
    /// - Throws: ``PostgresError``.
    func run(
        _ statement: PostgresStatement, _ values: [PostgresValue], until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresRows {
        guard let session else { throw .unreachable("there is no connection") }
        // With a pooler, do not prepare the statement: it may run in another session of the server, which lacks it.
        if isPooled {
            try session.send(statement.text, values, limit: limit)
        } else {
            if prepared.insert(statement.name).inserted {
                do throws(PostgresError) {
                    try session.prepare(statement)
                    _ = try result(of: session, until: deadline)
                } catch .refused("42P05", _) {
                    // The statement is already prepared: an earlier caller stopped waiting before the server had
                    // prepared it.
                } catch {
                    prepared.remove(statement.name)
                    throw error
                }
            }
            try session.send(prepared: statement.name, values)
        }
        return try result(of: session, until: deadline)
    }

    /// Runs a script of several statements without parameters, as one transaction. The server's time limit for a
    /// statement does not apply to the script.
    /// - Throws: ``PostgresError``.
    func run(script: String, until deadline: ContinuousClock.Instant) throws(PostgresError) {
        guard let session else { throw .unreachable("there is no connection") }
        try session.send(script: "SET LOCAL statement_timeout = 0; " + script)
        _ = try result(of: session, until: deadline)
    }

    /// Waits until `deadline`.
    /// - Throws: ``PostgresError``, at once when the server ends the connection or the turn is interrupted.
    func rest(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        guard let session else { throw .unreachable("there is no connection") }
        while true {
            do throws(PostgresError) {
                try wait(for: Int16(POLLIN), on: session.socket, until: deadline)
            } catch .timedOut {
                return
            }
            try session.consumeInput()
        }
    }

    /// Waits for the end of a statement that its caller has abandoned.
    /// - Returns: whether the connection can serve further statements.
    func settle(until deadline: ContinuousClock.Instant) -> Bool {
        guard let session else { return false }
        _ = interruption.beginTurn()
        do throws(PostgresError) {
            _ = try result(of: session, until: deadline)
        } catch {
            return error.leavesConnectionUsable
        }
        return true
    }

    /// Whether the idle connection is unusable: it was never opened, its server has ended it, a script has left a failed
    /// transaction open, or its server is outdated, because this program has since connected to a standby that was promoted
    /// to replace it.
    func isGone() -> Bool {
        guard let session, !session.hasFailedTransaction, origin.map(address.hosts.admit) ?? true else { return true }
        var descriptor = pollfd(fd: session.socket, events: Int16(POLLIN), revents: 0)
        // While a connection is idle, only notices and the end of the connection can arrive.
        while poll(&descriptor, 1, 0) > 0 {
            guard (try? session.consumeInput()) != nil, !session.isBroken else { return true }
        }
        return false
    }

    private func result(
        of session: LibPQSession, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresRows {
        while try session.flush() {
            try wait(for: Int16(POLLIN | POLLOUT), on: session.socket, until: deadline)
            try session.consumeInput()
        }
        var answer = LibPQSession.Answer()
        repeat {
            while session.isBusy {
                try wait(for: Int16(POLLIN), on: session.socket, until: deadline)
                try session.consumeInput()
            }
        } while !session.receive(&answer)
        return try answer.get()
    }

    /// Waits until the socket is ready, and polls at least once even after `deadline`. A process that was suspended
    /// past the deadline thus still receives an answer that arrived while it was suspended.
    /// - Throws: ``PostgresError/timedOut``, ``PostgresError/interrupted``, or ``PostgresError/unreachable(_:)`` when
    ///   `poll` fails.
    private nonisolated func wait(
        for events: Int16, on socket: Int32, until deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            let milliseconds = min(max(left / .milliseconds(1), 0), 60_000).rounded(.up)
            var descriptors = [
                pollfd(fd: socket, events: events, revents: 0),
                pollfd(fd: interruption.reader, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&descriptors, 2, Int32(milliseconds))
            if count < 0, errno != EINTR { throw .unreachable("poll failed with error \(errno)") }
            if count == 0, left <= .zero { throw .timedOut }
            guard count > 0 else { continue }
            if descriptors[0].revents != 0 { return }
            if descriptors[1].revents != 0 { throw .interrupted }
        }
    }
}
#endif
