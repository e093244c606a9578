#if Tools
import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The person, or the system, does not want the command to go on.
struct Interrupted: Error {
    /// The signal that said so.
    let signal: Int32
}

/// Waits for Ctrl-C or a termination request, so that a command can end in good order.
final class StopSignal {
    private let signals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// Takes over SIGINT, SIGTERM and SIGHUP from now on.
    init() {
        let (signals, continuation) = AsyncStream<Int32>.makeStream()
        self.signals = signals
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The default action would end the process before the source is told.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in
                continuation.yield(number)
                continuation.finish()
            }
            source.resume()
            return source
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
#endif
