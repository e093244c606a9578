import Foundation
import IdentityKit
import NIOCore

/// The open connections, to be closed when the server stops, and before that when they take too much.
final class ConnectionRegistry: Sendable {
    private struct Entry: Sendable {
        let number: Int
        let channel: any Channel
    }

    private struct State: Sendable {
        var entries: [ObjectIdentifier: Entry] = [:]
        var count = 0
    }

    private let limits: ConnectionLimits?
    private let time: TimeSource
    private let state = Locked(State())

    init(limits: ConnectionLimits?, time: TimeSource) {
        self.limits = limits
        self.time = time
    }

    func add(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        let oldest = state.withLock { state -> (any Channel)? in
            state.count += 1
            state.entries[key] = Entry(number: state.count, channel: channel)
            guard let limits, state.entries.count > limits.maximumConnections,
                let oldest = state.entries.min(by: { $0.value.number < $1.value.number })
            else { return nil }
            state.entries[oldest.key] = nil
            return oldest.value.channel
        }
        oldest?.close(promise: nil)
        let deadline = limits.map { limits in
            Task { [time] in
                try await time.sleep(for: limits.deadline)
                channel.close(promise: nil)
            }
        }
        channel.closeFuture.whenComplete { [state] _ in
            deadline?.cancel()
            _ = state.withLock { $0.entries.removeValue(forKey: key) }
        }
    }

    func closeAll() async {
        for channel in state.withLock({ $0.entries.values.map(\.channel) }) {
            try? await channel.close()
        }
    }
}
