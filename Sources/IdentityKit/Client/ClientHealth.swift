/// How a client and its store are doing, for a readiness probe and for gauges.
public struct ClientHealth: Sendable {
    /// Why the store could not be read; `nil` if it could.
    public let storeFailure: (any IdentityFailure)?
    /// The number of leases in the last minute, which is how often this process sent a refresh token.
    public let leasesInLastMinute: Int
    /// The number of sessions whose refreshed tokens are only in this process's memory, because the store could not be
    /// written.
    public let unstoredResults: Int
    /// How long the oldest of those sessions has been waiting for the store; `nil` without one.
    public let oldestUnstoredResult: Duration?
    /// Figures about the server of a store; `nil` for a store without one.
    public let figures: StoreFigures?

    /// Whether the store can be read, so that the program can take requests.
    public var isReady: Bool { storeFailure == nil }
}

/// How a store on a server uses its connections, and what it has noticed since it was opened.
public struct StoreFigures: Sendable, Equatable {
    /// The connections that calls use now.
    public let connectionsInUse: Int
    /// The calls that wait for a connection now.
    public let waitingCalls: Int
    /// The number of leases taken over from a holder that had not released them.
    public let takeovers: Int
    /// How often the connection that reports the changes of other programs was lost.
    public let lostWatches: Int

    package init(connectionsInUse: Int, waitingCalls: Int, takeovers: Int, lostWatches: Int) {
        (self.connectionsInUse, self.waitingCalls) = (connectionsInUse, waitingCalls)
        (self.takeovers, self.lostWatches) = (takeovers, lostWatches)
    }
}

/// A store that has figures.
package protocol MeasuredTokenStore: TokenStore {
    var figures: StoreFigures? { get }
}

extension IdentityClient {
    /// Current health of this client and its store. Reads the store, which takes at most as long as its deadline.
    public var health: ClientHealth {
        get async {
            var failure: (any IdentityFailure)?
            do {
                _ = try await environment.observedStore.record(for: StoreKey(.device, "token"))
            } catch {
                failure = ProviderError.classified(error) as? any IdentityFailure
            }
            let refreshes = environment.refreshMonitor
            return ClientHealth(
                storeFailure: failure, leasesInLastMinute: refreshes.leasesInLastMinute(at: environment.time.now),
                unstoredResults: refreshes.notStored.count,
                oldestUnstoredResult: refreshes.oldestNotStored.map(environment.time.elapsed(since:)),
                figures: environment.store.layer((any MeasuredTokenStore).self)?.figures)
        }
    }

    /// Sends the ``health`` to the observers every 15 seconds until the task is cancelled. Then it starts no further
    /// refresh, and returns when the running ones are stored, after 40 seconds at the latest.
    public func run() async {
        while !Task.isCancelled {
            let health = await health
            if !Task.isCancelled { environment.observers.emit(.health(health)) }
            _ = try? await environment.time.sleep(for: .seconds(15))
        }
        await environment.refreshMonitor.close(within: .seconds(40), time: environment.time)
    }
}
