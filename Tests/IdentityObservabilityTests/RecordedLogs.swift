#if Observability
import IdentityKit
import Logging

/// Keeps what is logged.
struct RecordedLogs: LogHandler {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    let lines = Locked<[Line]>([])
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    var logger: Logger { Logger(label: "test") { _ in self } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = Line(
            level: event.level, message: event.message.description,
            metadata: (event.metadata ?? [:]).mapValues { $0.description })
        lines.withLock { $0.append(line) }
    }

    /// The first line of the event with this name.
    func first(_ event: String) -> Line? {
        lines.withLock { $0.first { $0.metadata["identity.event"] == event } }
    }
}
#endif
