import Foundation
import IdentityKit

#if canImport(os)
import os
#endif

/// How much is logged. Nothing of any level contains a password, a code or a token, so no level is dangerous; the higher
/// ones are merely quieter.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Every request, before it is sent.
    case trace
    /// Every answer, by its status.
    case debug
    /// Who signed in and out, without names.
    case info
    /// What is worth knowing later.
    case notice
    /// What was refused.
    case warning
    /// What failed.
    case error
    /// What makes the client useless.
    case critical

    /// Whether `first` is the more talkative one.
    public static func < (first: LogLevel, second: LogLevel) -> Bool { first.rawValue < second.rawValue }
}

/// Where the log goes. Every client has its own.
public enum LogDestination: Sendable {
    /// Standard output.
    case console
    /// Apple's unified logging, where the messages are private. Elsewhere nothing is written.
    case osLog
    /// Nowhere.
    case none
    /// A handler of the app's own, made with the subsystem's name.
    case custom(@Sendable (_ subsystem: String) -> any LogHandler)
}

/// Writes a client's log wherever an app wants it.
public protocol LogHandler: Sendable {
    /// Writes one line.
    func log(_ level: LogLevel, _ message: String)
}

/// The log of one client.
struct InsForgeLog: Sendable {
    private let level: LogLevel
    private let handler: (any LogHandler)?

    init(level: LogLevel, destination: LogDestination, subsystem: String) {
        self.level = level
        handler =
            switch destination {
            case .none: nil
            case .console: ConsoleLog(subsystem: subsystem)
            case .custom(let make): make(subsystem)
            case .osLog: Self.unified(subsystem)
            }
    }

    private init() {
        level = .critical
        handler = nil
    }

    /// Writes nothing.
    static let silent = InsForgeLog()

    func callAsFunction(_ level: LogLevel, _ message: String) {
        guard level >= self.level, let handler else { return }
        // No message is made of secrets. Should one ever be, it does not get through.
        handler.log(level, message.withoutTokens)
    }

    private static func unified(_ subsystem: String) -> (any LogHandler)? {
        #if canImport(os)
        UnifiedLog(logger: Logger(subsystem: subsystem, category: "InsForge"))
        #else
        nil
        #endif
    }
}

private struct ConsoleLog: LogHandler {
    let subsystem: String

    func log(_ level: LogLevel, _ message: String) {
        // The app chose the console, and standard output is what it means by that.
        print("[\(subsystem)] \(level): \(message)")
    }
}

#if canImport(os)
private struct UnifiedLog: LogHandler {
    let logger: Logger

    func log(_ level: LogLevel, _ message: String) {
        logger.log(level: type(of: level), "\(message, privacy: .private)")
    }

    private func type(of level: LogLevel) -> OSLogType {
        switch level {
        case .trace, .debug: .debug
        case .info: .info
        case .notice, .warning: .default
        case .error: .error
        case .critical: .fault
        }
    }
}
#endif
