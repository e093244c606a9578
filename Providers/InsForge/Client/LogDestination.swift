import Foundation
import IdentityKit

#if canImport(os)
import os
#endif

/// Levels of the log. No level contains a password, a code or a token.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// A request before it is sent, with its method and path. Requests for the server's keys are not logged.
    case trace
    /// A response with a status below 400, with the request's method and path, and the status.
    case debug
    /// Sign-ins and sign-outs, without the user's name or address.
    case info
    /// The end of a session that this client did not sign out.
    case notice
    case warning
    case error
    /// An invalid configuration or an unusable store. Every call fails then.
    case critical

    /// Whether `first` is the more detailed level.
    public static func < (first: LogLevel, second: LogLevel) -> Bool { first.rawValue < second.rawValue }
}

/// The target of a client's log, set by ``InsForgeClientOptions/GlobalOptions/logDestination``.
public enum LogDestination: Sendable {
    case console
    /// Apple's unified logging, where the messages are marked as private. On other systems nothing is written.
    case osLog
    case none
    /// A handler of the app, created once per client with ``InsForgeClientOptions/GlobalOptions/logSubsystem``.
    case custom(@Sendable (_ subsystem: String) -> any LogHandler)
}

/// Writes a client's log.
public protocol LogHandler: Sendable {
    /// Writes one message, which contains no secrets. Levels below the configured one are not passed on.
    func log(_ level: LogLevel, _ message: String)
}

struct InsForgeLog: Sendable {
    private let level: LogLevel
    private let write: (@Sendable (LogLevel, String) -> Void)?

    init(level: LogLevel, destination: LogDestination, subsystem: String) {
        self.level = level
        switch destination {
        case .none: write = nil
        case .console: write = { print("[\(subsystem)] \($0): \($1)") }
        case .custom(let make):
            let handler = make(subsystem)
            write = { handler.log($0, $1) }
        case .osLog:
            #if canImport(os)
            let logger = Logger(subsystem: subsystem, category: "InsForge")
            write = { logger.log(level: $0.type, "\($1, privacy: .private)") }
            #else
            write = nil
            #endif
        }
    }

    static let silent = InsForgeLog(level: .critical, destination: .none, subsystem: "")

    func callAsFunction(_ level: LogLevel, _ message: String) {
        guard level >= self.level, let write else { return }
        // Messages should contain no secrets. Scrubbing is a second line of defense.
        write(level, message.withoutTokens)
    }
}

#if canImport(os)
extension LogLevel {
    fileprivate var type: OSLogType {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .notice, .warning: .default
        case .error: .error
        case .critical: .fault
        }
    }
}
#endif
