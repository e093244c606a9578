#if PostgreSQL
import IdentityKit

/// Why a statement has no result.
enum PostgresFailure: Error, Equatable {
    /// The server refused it, with a code of PostgreSQL's documentation (appendix A) and a message. Two codes are this
    /// library's: `synchronous_commit` and `certificate`.
    case refused(code: String, message: String)
    /// The connection broke, or there is none. A statement that was sent may have been carried out.
    case unreachable(String)
    /// It took longer than the deadline. The same uncertainty as above.
    case timedOut
    /// The caller was cancelled.
    case interrupted

    /// Whether the connection can serve further statements.
    var leavesConnectionUsable: Bool {
        guard case .refused(let code, _) = self else { return false }
        // The server ends the connection after a shutdown and after a crash.
        return !code.hasPrefix("57P") && !code.hasPrefix("08")
    }

    /// Whether another attempt to connect may succeed without anybody's help.
    var passes: Bool {
        switch self {
        case .refused(let code, _): ["08", "40", "53", "55", "57", "58"].contains(String(code.prefix(2)))
        case .unreachable, .timedOut: true
        case .interrupted: false
        }
    }

    /// What the callers of a store get.
    /// - Parameters:
    ///   - place: the database in words, without a password.
    ///   - role: the role's name.
    func error(at place: String, role: String) -> any Error {
        switch self {
        case .interrupted: CancellationError()
        case .timedOut:
            TokenStoreError.unavailable(place: place, detail: "the database did not respond in time")
        case .unreachable(let detail): TokenStoreError.unavailable(place: place, detail: detail)
        case .refused(let code, let message): Self.error(code, message, at: place, role: role)
        }
    }

    private static func error(_ code: String, _ message: String, at place: String, role: String) -> TokenStoreError {
        switch code {
        case "synchronous_commit", "certificate": .insecure(path: place, detail: message)
        case "53100": .full(path: place)
        case "42P01", "42703", "3F000", "42883":
            .unsupported(
                detail: "the database \(place) does not have this version's tables. Run: identity store migrate")
        case "42501":
            .notWritable(path: place, detail: "\(message). Grant the role \(role) what the fleet's article lists")
        case "28P01", "28000":
            .unreadable(path: place, detail: "the server refuses the role \(role): \(message)")
        case "3D000": .unreadable(path: place, detail: message)
        case "25006": .unavailable(place: place, detail: "it is a standby, which takes no writes")
        case "55P03", "57014", "40001", "40P01": .busy(path: place)
        case _ where ["08", "53", "57", "58"].contains(String(code.prefix(2))):
            .unavailable(place: place, detail: message)
        default: .unreadable(path: place, detail: "\(message) (\(code))")
        }
    }
}
#endif
