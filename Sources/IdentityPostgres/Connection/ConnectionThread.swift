#if PostgreSQL
import Foundation

/// The thread of one connection. A connection blocks its thread while it waits for the server. The threads of Swift
/// concurrency must not be blocked.
final class ConnectionThread: SerialExecutor {
    private let queue = JobQueue()

    init() {
        let thread = Thread { [queue] in
            while let job = queue.next() { job.job.runSynchronously(on: job.executor) }
        }
        thread.name = "PostgreSQL"
        thread.stackSize = 1 << 19
        thread.start()
    }

    deinit { queue.end() }

    func enqueue(_ job: UnownedJob) {
        queue.append(JobQueue.Entry(job: job, executor: asUnownedSerialExecutor()))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// The jobs for the thread, in the order in which the executor received them.
private final class JobQueue: @unchecked Sendable {
    // Unchecked conformance is sound: all state is accessed only while `condition` is locked.
    struct Entry {
        let job: UnownedJob
        let executor: UnownedSerialExecutor
    }

    private let condition = NSCondition()
    private var entries: [Entry] = []
    private var hasEnded = false

    func append(_ entry: Entry) {
        condition.lock()
        entries.append(entry)
        condition.unlock()
        condition.signal()
    }

    func end() {
        condition.lock()
        hasEnded = true
        condition.unlock()
        condition.signal()
    }

    /// Waits for the next job, and removes it from the queue. Returns `nil` when the executor was deallocated and no
    /// job is left.
    func next() -> Entry? {
        condition.lock()
        defer { condition.unlock() }
        while entries.isEmpty {
            if hasEnded { return nil }
            condition.wait()
        }
        return entries.removeFirst()
    }
}
#endif
