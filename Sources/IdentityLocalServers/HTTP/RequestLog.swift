/// The last requests that a server handled.
struct RequestLog: Sendable {
    private static let limit = 10_000
    /// In bytes.
    private static let longestPath = 2048

    private var kept: [LocalHTTPServer.LogEntry] = []

    /// Oldest first.
    var entries: [LocalHTTPServer.LogEntry] { Array(kept.suffix(Self.limit)) }

    /// Half of what is kept is dropped at once, so that no request waits for all of it to be moved.
    mutating func append(_ entry: LocalHTTPServer.LogEntry) {
        if kept.count == 2 * Self.limit { kept.removeFirst(Self.limit) }
        kept.append(entry)
    }

    static func shortened(_ path: String) -> String {
        path.utf8.count > longestPath ? String(decoding: path.utf8.prefix(longestPath), as: UTF8.self) : path
    }
}
