import Foundation
import IdentityKit

/// The flows of a client that are not over, by execution.
final class PendingFlows: Sendable {
    private struct Entry: Sendable {
        var flow: FlowState
        let notedAt: Date
    }

    /// The longest life of an execution that a person who signs in or up has.
    private static let lifetime: TimeInterval = 3600
    private let entries = Locked<[String: Entry]>([:])
    private let time: TimeSource

    init(time: TimeSource) {
        self.time = time
    }

    subscript(executionID: String) -> FlowState? {
        get { entries.withLock { $0[executionID]?.flow } }
        set {
            let now = time.now
            entries.withLock { entries in
                entries = entries.filter { now < $0.value.notedAt + Self.lifetime }
                entries[executionID] = newValue.map { Entry(flow: $0, notedAt: now) }
            }
        }
    }
}
