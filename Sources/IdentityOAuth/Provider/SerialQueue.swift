import IdentityKit

/// Asynchronous work that synchronous calls started, done one after the other.
package final class SerialQueue: Sendable {
    private let last = Locked<Task<Void, Never>?>(nil)

    package init() {}

    /// Does `work` after all work that was added before.
    package func add(_ work: @escaping @Sendable () async -> Void) {
        last.withLock { last in
            let previous = last
            last = Task {
                await previous?.value
                await work()
            }
        }
    }

    /// Waits for all work that was added so far.
    package func finish() async {
        await last.withLock { $0 }?.value
    }
}
