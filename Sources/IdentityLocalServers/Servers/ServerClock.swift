import Foundation
import IdentityKit

/// A server's clock, which a test can advance while the server runs. Advancing it does not shorten a sleep that has
/// begun.
final class ServerClock: Sendable {
    private let base: TimeSource
    private let offset = Locked(Duration.zero)

    init(_ base: TimeSource) { self.base = base }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }

    func reset() { offset.withLock { $0 = .zero } }

    var timeSource: TimeSource {
        TimeSource(
            now: { self.base.now + self.offset.withLock { $0 }.timeInterval },
            sleep: { try await self.base.sleep(for: $0) })
    }
}
