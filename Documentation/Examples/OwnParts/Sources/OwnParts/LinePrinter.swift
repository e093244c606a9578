import IdentityKit

/// Prints one line for each event: `[info] refresh.stored: … provider=lantern account=lantern/ada (12 ms) error=…`.
public struct LinePrinter: IdentityObserver {
    private let level: EventLevel
    private let write: @Sendable (String) -> Void

    /// A printer of the events of `level` and above.
    public init(from level: EventLevel = .info, _ write: @escaping @Sendable (String) -> Void = { print($0) }) {
        (self.level, self.write) = (level, write)
    }

    public func observe(_ event: ObservedEvent) {
        guard event.level >= level else { return }
        var parts = ["[\(event.level.rawValue)]", "\(event.name):", event.description]
        parts += event.fields.map { "\($0.name.rawValue)=\($0.value)" }
        if let duration = event.duration { parts.append("(\(duration / .milliseconds(1)) ms)") }
        if let code = event.failureCode { parts.append("error=\(code)") }
        if let health = event.health { parts.append("ready=\(health.isReady)") }
        write(parts.joined(separator: " "))
    }
}
