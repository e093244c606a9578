#if PostgreSQL
import IdentityKit

/// The reason why a connection could not be opened, or why a statement has no result.
enum PostgresError: Error, Equatable {
    /// The server, libpq or this library refused the connection or the statement. The code is an error code of
    /// PostgreSQL's documentation (appendix A), or one of this library's: `synchronous_commit`, `timeline`,
    /// `certificate`, `certificate.authority` and `certificate.host`.
    case refused(code: String, message: String)
    /// The connection broke or could not be opened, for the given reason. A statement that was sent may have been
    /// carried out.
    case unreachable(String)
    /// The deadline passed. A statement that was sent may have been carried out.
    case timedOut
    /// The caller's task was cancelled. A statement that was sent may have been carried out.
    case interrupted

    /// Whether the connection can serve the next statement at once.
    var leavesConnectionUsable: Bool {
        guard case .refused(let code, _) = self else { return false }
        // Errors whose codes begin with 57P or 08, such as a shutdown or a crash, end the connection. The code 25006 comes
        // from a server that takes no writes, such as a standby, so the next statement needs a connection to another host.
        return !code.hasPrefix("57P") && !code.hasPrefix("08") && code != "25006"
    }

    /// Whether another attempt to connect may succeed without intervention.
    var passes: Bool {
        switch self {
        case .refused(let code, _):
            code == "timeline" || ["08", "25", "40", "53", "55", "57", "58"].contains(String(code.prefix(2)))
        case .unreachable, .timedOut: true
        case .interrupted: false
        }
    }

    /// Returns the error for the callers of a store: a `TokenStoreError`, or `CancellationError` for ``interrupted``.
    /// - Parameters:
    ///   - place: the database in words, without a password.
    ///   - role: the name of the role, for the message.
    ///   - tables: the tables in the `GRANT` statements of an error about missing rights.
    func error(at place: String, role: String, tables: PostgresTables = .standard) -> any Error {
        switch self {
        case .interrupted: CancellationError()
        case .timedOut:
            TokenStoreError.unavailable(place: place, detail: "the database did not respond within \"deadline\"")
        case .unreachable(let detail): TokenStoreError.unavailable(place: place, detail: detail)
        case .refused(let code, let message):
            Self.ownError(code, message, at: place) ?? Self.error(code, message, at: place, role: role, tables)
        }
    }

    /// Returns the error for a code of this library; `nil` for a code of PostgreSQL.
    private static func ownError(_ code: String, _ message: String, at place: String) -> TokenStoreError? {
        switch code {
        case "synchronous_commit", "certificate": .insecure(path: place, detail: message)
        case "certificate.authority":
            .insecure(
                path: place,
                detail: "\(message). Name the file of the certificate's authority with sslrootcert in \"url\". The "
                    + "certificate must be in date by this machine's clock")
        case "certificate.host":
            .insecure(path: place, detail: "\(message). Name the host of the certificate in \"url\"")
        case "timeline":
            .unavailable(
                place: place,
                detail: "another server has taken the place of this one. Remove it from \"url\", or restart this "
                    + "program if it is the right one")
        default: nil
        }
    }

    private static func error(
        _ code: String, _ message: String, at place: String, role: String, _ tables: PostgresTables
    ) -> TokenStoreError {
        switch code {
        case "53100": .full(path: place)
        case "42P01", "42703", "3F000", "42883":
            .unsupported(
                detail: "the database \(place) does not have this version's tables. Run: identity store migrate")
        case "42501":
            .notWritable(
                path: place,
                detail: "\(message). As owner of the tables run: "
                    + PostgresSchema(tables).grants(to: role).replacingOccurrences(of: "\n", with: " "))
        case "28P01", "28000":
            .unreadable(path: place, detail: "the server refuses the role \(role): \(message)")
        case "3D000": .unreadable(path: place, detail: message)
        case "25006":
            .unavailable(
                place: place,
                detail: "it takes no writes: it is a standby, or was set to read-only, as hosts do when a disk is full")
        case "57014":
            .unavailable(place: place, detail: "the database ended a statement that took longer than \"deadline\"")
        case "53300":
            .unavailable(
                place: place,
                detail: "\(message). Lower \"maximumConnections\", or raise the server's max_connections")
        case "55P03": .busy(path: place)
        case _ where ["08", "40", "53", "57", "58"].contains(String(code.prefix(2))):
            .unavailable(place: place, detail: message)
        default: .unreadable(path: place, detail: "\(message) (\(code))")
        }
    }
}
#endif
