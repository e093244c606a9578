import Foundation
import IdentityKit

/// The unfinished flows of a client, by the server's identifier for each run of a flow (`executionId`). They are kept in memory
/// only.
final class PendingFlows: Sendable {
    private struct Entry: Sendable {
        var flow: FlowState
        let notedAt: Date
    }

    /// The seconds that a flow is kept after its latest step. Older flows are removed when a flow is stored or removed.
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
