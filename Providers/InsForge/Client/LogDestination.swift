import Foundation
import IdentityKit

#if canImport(os)
import os
#endif

/// Levels of the log. No level contains a password, a code or a token.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Every request, before it is sent.
    case trace
    /// Every response, by its status.
    case debug
    /// Sign-ins and sign-outs, without the user's name or address.
    case info
    /// Unusual events, such as the end of a session.
    case notice
    case warning
    case error
    /// A configuration that makes every call fail.
    case critical

    /// Whether `first` is the more detailed level.
    public static func < (first: LogLevel, second: LogLevel) -> Bool { first.rawValue < second.rawValue }
}

/// Targets of the log. Every client has its own.
public enum LogDestination: Sendable {
    case console
    /// Apple's unified logging, where the messages are private. On other systems nothing is written.
    case osLog
    case none
    /// A handler of the app, made with the subsystem's name.
    case custom(@Sendable (_ subsystem: String) -> any LogHandler)
}

/// Writes a client's log.
public protocol LogHandler: Sendable {
    /// Writes one line, without secrets, at a level that the client is configured to log.
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
        // Messages contain no secrets; this is a second line of defence.
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
