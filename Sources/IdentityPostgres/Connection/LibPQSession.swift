#if PostgreSQL
import Foundation
import CIdentityPostgres
import CIdentitySystem

/// A libpq connection, with the calls to libpq as Swift functions. Not `Sendable`, because two threads must not use a
/// libpq connection at the same time.
final class LibPQSession {
    private let connection: OpaquePointer
    /// Whether the connection is in libpq's pipeline mode, which sends several statements before it receives the first
    /// result.
    private var isPipeline = false

    /// Keeps OpenSSL from cleaning up at exit, because a program may exit while another thread connects. Evaluated once,
    /// before the first connection.
    private static let keepsTLSUntilTheEnd: Void = tls_skip_cleanup(nil)

    init(startingWith keywords: [(keyword: String, value: String)]) throws(PostgresError) {
        Self.keepsTLSUntilTheEnd
        let values = keywords.map { strdup($0.value) }
        let keywords = keywords.map { strdup($0.keyword) }
        defer { for text in keywords + values { free(text) } }
        let started = (keywords.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keywords in
            (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
        guard let started else { throw .unreachable("there is no memory left") }
        connection = started
        // Verbose messages contain the error code, which is the same in every language of the server.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    /// Completes the connection that the initializer began. Before each step, calls `wait` with the socket and the `poll`
    /// events to wait for.
    /// - Throws: ``PostgresError``, including the errors of `wait`.
    func finishConnecting(
        _ wait: (Int32, Int16) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED, !isBroken, socket >= 0 else { throw connectionFailure }
            try wait(socket, Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT))
            state = PQconnectPoll(connection)
        }
        guard PQsetnonblocking(connection, 1) == 0 else { throw connectionFailure }
    }

    var socket: Int32 { PQsocket(connection) }
    var isBusy: Bool { PQisBusy(connection) == 1 }
    var isBroken: Bool { PQstatus(connection) == CONNECTION_BAD }
    /// Whether a script has failed after its `BEGIN`. The server then refuses every statement until a `ROLLBACK`.
    var hasFailedTransaction: Bool { PQtransactionStatus(connection) == PQTRANS_INERROR }
    /// Number of the server process for this connection, or a number that a pooler has made up.
    var serverProcess: Int32 { PQbackendPID(connection) }

    // MARK: Sending

    func send(_ text: String, _ values: [PostgresValue]) throws(PostgresError) {
        try send(values) { count, types, forms, lengths, formats in
            PQsendQueryParams(connection, text, count, types, forms, lengths, formats, 1)
        }
    }

    /// Sends a statement and its time limit in milliseconds, after which the server aborts the statement. Both take one
    /// round trip, and the session's settings stay unchanged. Without pipeline mode, such as in libpq before version
    /// 14, the statement is sent without the limit.
    func send(_ text: String, _ values: [PostgresValue], limit: String) throws(PostgresError) {
        isPipeline = identity_pipeline_enter(connection) == 1
        guard isPipeline else { return try send(text, values) }
        try send("SELECT set_config('statement_timeout', $1, true)", [.text(limit)])
        try send(text, values)
        guard identity_pipeline_sync(connection) == 1 else { throw connectionFailure }
    }

    func send(prepared name: String, _ values: [PostgresValue]) throws(PostgresError) {
        try send(values) { count, _, forms, lengths, formats in
            PQsendQueryPrepared(connection, name, count, forms, lengths, formats, 1)
        }
    }

    func prepare(_ statement: PostgresStatement) throws(PostgresError) {
        guard PQsendPrepare(connection, statement.name, statement.text, 0, nil) == 1 else { throw connectionFailure }
    }

    func send(script: String) throws(PostgresError) {
        guard PQsendQuery(connection, script) == 1 else { throw connectionFailure }
    }

    private typealias Send = (
        Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Int32

    private func send(_ values: [PostgresValue], _ send: Send) throws(PostgresError) {
        let forms = values.map(\.wireForm)
        // libpq copies the bytes before it returns. An empty value needs a pointer too, because a null pointer means
        // SQL's null.
        let places = forms.map { form in
            form.map { bytes in
                let place = UnsafeMutablePointer<CChar>.allocate(capacity: max(bytes.count, 1))
                for (index, byte) in bytes.enumerated() { place[index] = CChar(bitPattern: byte) }
                return UnsafePointer(place)
            }
        }
        defer { for place in places { place?.deallocate() } }
        let isSent = send(
            Int32(values.count), values.map(\.type), places, forms.map { Int32($0?.count ?? 0) },
            values.map { _ in 1 })
        guard isSent == 1 else { throw connectionFailure }
    }

    // MARK: Receiving

    /// Sends as many of the queued bytes as the socket accepts without blocking.
    /// - Returns: whether bytes are left to send.
    func flush() throws(PostgresError) -> Bool {
        switch PQflush(connection) {
        case 0: return false
        case 1: return true
        default: throw connectionFailure
        }
    }

    func consumeInput() throws(PostgresError) {
        guard PQconsumeInput(connection) == 1 else { throw connectionFailure }
    }

    /// The result of one or more statements, as far as it has been received.
    struct Answer {
        fileprivate var rows = PostgresRows(rows: [])
        fileprivate var failure: PostgresError?

        /// Returns the rows of the last statement.
        /// - Throws: the error of the first statement that failed.
        func get() throws(PostgresError) -> PostgresRows {
            if let failure { throw failure }
            return rows
        }
    }

    /// Receives the next result from libpq into `answer`. Call the method only when ``isBusy`` is `false`; otherwise it
    /// blocks.
    /// - Returns: whether the answer is complete.
    func receive(_ answer: inout Answer) -> Bool {
        guard let result = PQgetResult(connection) else { return !isPipeline || isBroken }
        defer { PQclear(result) }
        if identity_pipeline_is_over(result) == 1 {
            isPipeline = identity_pipeline_exit(connection) == 0
            return true
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK: answer.rows = PostgresRows(rows: Self.rows(of: result))
        case PGRES_COMMAND_OK: answer.rows = PostgresRows(rows: [])
        default: answer.failure = answer.failure ?? failure(in: result)
        }
        return false
    }

    private static func rows(of result: OpaquePointer) -> [PostgresRows.Row] {
        (0..<PQntuples(result)).map { row in
            PostgresRows.Row(
                columns: (0..<PQnfields(result)).map { column in
                    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
                        return nil
                    }
                    return Data(bytes: value, count: Int(PQgetlength(result, row, column)))
                })
        }
    }

    private func failure(in result: OpaquePointer) -> PostgresError {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        guard let code = field(Int32(UInt8(ascii: "C"))) else { return connectionFailure }
        return .refused(code: code, message: field(Int32(UInt8(ascii: "M"))) ?? "no message")
    }

    /// The error that libpq reports for the connection. A refusal by the server has the form `FATAL:  28P01: …`.
    private var connectionFailure: PostgresError {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let line = message.split(separator: "\n").first.map(String.init) ?? "the connection is gone"
        let words = line.split(separator: " ").map(String.init)
        for (index, word) in words.enumerated() where ["FATAL:", "PANIC:", "ERROR:"].contains(word) {
            guard words.count > index + 1, words[index + 1].utf8.count == 6, words[index + 1].hasSuffix(":") else {
                break
            }
            return .refused(
                code: String(words[index + 1].dropLast()), message: words[(index + 2)...].joined(separator: " "))
        }
        // Refusals by libpq itself have no code, only a message.
        if line.contains("does not match host name") { return .refused(code: "certificate.host", message: line) }
        if line.contains("certificate verify failed") || line.contains("root certificate") {
            return .refused(code: "certificate.authority", message: line)
        }
        if line.contains("certificate") || line.contains("does not support SSL") {
            return .refused(code: "certificate", message: line)
        }
        if line.hasSuffix("session is read-only") || line.hasSuffix("server is in hot standby mode") {
            return .refused(code: "25006", message: line)
        }
        return .unreachable(line)
    }
}
#endif
