import IdentityKit

/// A signal ended the command.
struct Interrupted: Error {
    let signal: Int32
}

/// Waits for Ctrl-C or another termination signal, so that a command can clean up. Further signals have no effect.
final class StopSignal {
    private let signals: AsyncStream<Int32>
    private let caught: CaughtSignals

    /// Takes over SIGINT, SIGTERM and SIGHUP from now on.
    init() {
        let (signals, continuation) = AsyncStream<Int32>.makeStream()
        self.signals = signals
        caught = CaughtSignals { number in
            continuation.yield(number)
            continuation.finish()
        }
    }

    /// Returns when a signal has come.
    func wait() async {
        for await _ in signals {}
    }

    /// The result of `work`, which is cancelled when a signal comes.
    /// - Throws: what `work` throws, or ``Interrupted`` once it has ended.
    func interrupting<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { [signals] group in
            group.addTask { try await work() }
            group.addTask {
                for await number in signals { throw Interrupted(signal: number) }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
