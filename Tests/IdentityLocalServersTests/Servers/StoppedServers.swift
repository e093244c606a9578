import IdentityKit
import IdentityLocalServers
import Testing

/// Stops the servers that a test has started once it has ended, also when it throws.
struct StoppedServers: SuiteTrait, TestTrait, TestScoping {
    fileprivate typealias Stop = @Sendable () async -> Void
    @TaskLocal fileprivate static var stops: Locked<[Stop]>?

    /// For every test of the suite.
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let stops = Locked<[Stop]>([])
        func stopAll() async {
            for stop in stops.withLock({ $0 }) { await stop() }
        }
        do {
            try await Self.$stops.withValue(stops) { try await function() }
        } catch {
            await stopAll()
            throw error
        }
        await stopAll()
    }

    /// Calls `stop` when the test ends.
    static func atEnd(_ stop: @escaping @Sendable () async -> Void) {
        guard let stops else { return _ = Issue.record("The suite needs .stopsServers.") }
        stops.withLock { $0.append(stop) }
    }
}

extension Trait where Self == StoppedServers {
    static var stopsServers: Self { StoppedServers() }
}

extension LocalServer {
    /// This server, which is stopped when the test ends.
    func untilTestEnds() -> Self {
        StoppedServers.atEnd { await self.stop() }
        return self
    }
}
