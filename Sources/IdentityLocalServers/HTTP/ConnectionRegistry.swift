import IdentityKit
import NIOCore

/// Keeps the open connections, so that the server can close them when it stops.
final class ConnectionRegistry: Sendable {
    private let channels = Locked<[ObjectIdentifier: any Channel]>([:])
    /// The number of connections accepted so far.
    let count = Locked(0)

    func add(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        count.withLock { $0 += 1 }
        channels.withLock { $0[key] = channel }
        channel.closeFuture.whenComplete { [channels] _ in
            _ = channels.withLock { $0.removeValue(forKey: key) }
        }
    }

    func closeAll() async {
        for channel in channels.withLock({ Array($0.values) }) { try? await channel.close() }
    }
}
