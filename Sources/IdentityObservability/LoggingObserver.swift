#if Observability
import IdentityKit
import Logging

/// An observer that logs each event with swift-log: its message, at its level, with its facts as metadata.
///
/// The metadata names the account, and contains no secret. <doc:IdentityObservability> lists its keys.
public struct LoggingObserver: IdentityObserver {
    private let logger: Logger

    /// Creates an observer that logs to `logger`, by default to the program's `LoggingSystem`. The level of the logger decides
    /// which events are logged.
    public init(logger: Logger = Logger(label: "swift-identity")) { self.logger = logger }

    /// Logs `event` with the source `IdentityKit`, if the logger's level allows it.
    public func observe(_ event: ObservedEvent) {
        let details = event.details
        logger.log(
            level: Logger.Level(details.level), "\(details.message)",
            metadata: details.attributes.reduce(into: [:]) { $0[$1.key] = .string($1.value) },
            source: "IdentityKit")
    }
}

extension Logger.Level {
    init(_ level: EventLevel) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            }
    }
}
#endif
