/// Figures about a client and its store, for a readiness probe and for gauges.
public struct ClientHealth: Sendable {
    /// Why the store could not be read; `nil` if it could.
    public let storeFailure: (any IdentityFailure)?
    /// The number of refreshes that this process began in the last minute. Each refresh takes a lease of the store.
    public let leasesInLastMinute: Int
    /// The number of sessions whose refreshed tokens are only in this process's memory, because the store could not be
    /// written.
    public let unstoredResults: Int
    /// The longest time that one of the ``unstoredResults`` has waited to be stored; `nil` when there are none.
    public let oldestUnstoredResult: Duration?
    /// Figures about the connections to a store's server; `nil` for a store without a server.
    public let figures: StoreFigures?

    /// Whether the store can be read, so that the program can take requests.
    public var isReady: Bool { storeFailure == nil }
}

/// The current use of a store's connections to its server, and counts since the store was opened.
public struct StoreFigures: Sendable, Equatable {
    /// The number of connections that calls use now.
    public let connectionsInUse: Int
    /// The number of calls that wait for a connection now.
    public let waitingCalls: Int
    /// The number of leases taken over from a holder that had not released them.
    public let takeovers: Int
    /// The number of times that the connection that reports the changes of other programs was lost.
    public let lostWatches: Int

    package init(connectionsInUse: Int, waitingCalls: Int, takeovers: Int, lostWatches: Int) {
        (self.connectionsInUse, self.waitingCalls) = (connectionsInUse, waitingCalls)
        (self.takeovers, self.lostWatches) = (takeovers, lostWatches)
    }
}

/// A store on a server, with figures about its connections and leases.
package protocol MeasuredTokenStore: TokenStore {
    var figures: StoreFigures? { get }
}

extension IdentityClient {
    /// The current health of this client and its store. Reads one record of the store, and waits until that read has ended.
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

    /// Sends the ``health`` to the observers every 15 seconds until the task is cancelled. After that, no provider of the
    /// environment starts a refresh, and the call returns when the running refreshes have ended, after 40 seconds at the
    /// latest.
    public func run() async {
        while !Task.isCancelled {
            let health = await health
            if !Task.isCancelled { environment.observers.emit(.health(health)) }
            _ = try? await environment.time.sleep(for: .seconds(15))
        }
        await environment.refreshMonitor.close(within: .seconds(40), time: environment.time)
    }
}
