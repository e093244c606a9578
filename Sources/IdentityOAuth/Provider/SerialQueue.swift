import IdentityKit

/// Runs asynchronous functions one after the other, in the order in which they are added. Synchronous code can add them.
package final class SerialQueue: Sendable {
    private let last = Locked<Task<Void, Never>?>(nil)

    package init() {}

    /// Starts `work` as soon as all work that was added before has finished, and returns at once.
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
