#if PostgreSQL
import Foundation

/// Measures with `pgbench` how many writes per second a server handles: with the row that notifies other processes of
/// the write, and without this row.
struct FleetRates {
    let database: FleetDatabase
    private let telling: String
    private let silent: String

    /// - Parameter statement: the SQL text of a write as the store prepares it, with placeholders such as `$1`.
    init(_ database: FleetDatabase, statement: String) {
        self.database = database
        let name = "convert_to('other/' || :number, 'UTF8')"
        let values = [
            "'accounts'", "sha256(\(name))", name, "decode(repeat('5b', 1400), 'hex')", "generation", "1",
        ]
        let text = values.enumerated().reduce(statement) {
            $0.replacingOccurrences(of: "$\($1.offset + 1)::", with: "\($1.element)::")
        }
        telling = text
        silent = text.replacingOccurrences(
            of: #",\s*told AS \(INSERT.*?FROM written\)"#, with: "", options: .regularExpression)
    }

    /// Returns a table with a row for each combination of commit delay and number of writers. Changes the delay in the
    /// server's configuration, so the user must be a superuser.
    /// - Parameters:
    ///   - commits: the commit delays in milliseconds.
    ///   - seconds: the duration of each measurement.
    func table(commits: [Int], seconds: Int) throws -> String {
        var lines = ["commit  writers  without telling  telling  share"]
        for delay in commits {
            try database.sql("ALTER SYSTEM SET commit_delay = \(delay * 1_000)")
            try database.sql("ALTER SYSTEM SET commit_siblings = 0")
            try database.sql("SELECT pg_reload_conf()")
            for writers in [1, 4, 16, 64] {
                let (without, with) = (
                    try rate(silent, writers, seconds), try rate(telling, writers, seconds)
                )
                lines.append(
                    String(
                        format: "%3d ms  %7d  %15.0f  %7.0f  %4.0f %%", delay, writers, without, with,
                        100 * with / without))
            }
        }
        return lines.joined(separator: "\n")
    }

    private func rate(_ statement: String, _ writers: Int, _ seconds: Int) throws -> Double {
        let report = try send(["-c", "\(writers)", "-T", "\(seconds)"], statement)
        guard let line = report.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw Skipped(description: "pgbench printed no rate") }
        return rate
    }

    /// Replaces records with `pgbench` and returns its output.
    /// - Parameters:
    ///   - extent: the options for the number of clients, and for the duration or the number of writes.
    ///   - statement: the statement to send; `nil` for the store's own, which notifies other processes.
    func send(_ extent: [String], _ statement: String? = nil) throws -> String {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let file = scratch.url.appending(path: "write.sql")
        let script = "\\set number random(1, \(database.accounts))\n\(statement ?? telling);\n"
        try Data(script.utf8).write(to: file)
        return try database.run(
            ["pgbench", "-n", "-M", "prepared", "-j", "2"] + extent + ["-f", file.path, database.url])
    }
}
#endif
