/// How a client and its store are doing, for a readiness probe and for a dashboard.
public struct ClientHealth: Sendable {
    /// Why the store or its key could not be read; `nil` if both could.
    public let storeFailure: (any IdentityFailure)?
    /// The longest time that one of the ``Figure/unstoredResults`` has waited to be stored; `nil` when there are none.
    public let oldestUnstoredResult: Duration?
    /// The value of each figure. For a store without a server, only ``Figure/leasesInLastMinute`` and
    /// ``Figure/unstoredResults`` have a value.
    public let figures: [Figure: Int]

    /// Whether the store can be read, so that the program can take requests.
    public var isReady: Bool { storeFailure == nil }

    /// A figure about a client or its store. With `identity.` before it, the raw value is the name of the gauge in
    /// IdentityObservability.
    public enum Figure: String, Sendable, CaseIterable {
        /// The number of refreshes that this process began in the last minute. Each refresh takes a lease of the store.
        case leasesInLastMinute = "leases.last_minute"
        /// The number of sessions whose refreshed tokens are only in this process's memory, because the store could not be
        /// written.
        case unstoredResults = "results.unstored"
        /// The number of connections to the store's server that calls use now.
        case connectionsInUse = "connections.in_use"
        /// The number of calls that wait for a connection to the store's server now.
        case waitingCalls = "connections.waiting"
        /// The number of leases taken over, since the store was opened, from a holder that had not released them.
        case takeovers
        /// The number of times, since the store was opened, that the connection that reports the changes of other programs
        /// was lost.
        case lostWatches = "watches.lost"
    }
}

/// A store on a server, with figures about its connections and leases.
package protocol MeasuredTokenStore: TokenStore {
    var figures: [ClientHealth.Figure: Int] { get }
}

extension IdentityClient {
    /// The current health of this client and its store. Reads one record of the store. If the store has a key that is not in
    /// memory yet, also reads the key, unless a person may be asked for it. Waits until the reads have ended.
    public var health: ClientHealth {
        get async {
            var failure: (any IdentityFailure)?
            do {
                _ = try await environment.observedStore.record(for: StoreKey(.device, "token"))
                try await environment.store.layer(SealedTokenStore.self)?.requireKeys()
            } catch {
                failure = ProviderError.classified(error) as? any IdentityFailure
            }
            let refreshes = environment.refreshMonitor
            var figures = environment.store.layer((any MeasuredTokenStore).self)?.figures ?? [:]
            figures[.leasesInLastMinute] = refreshes.leasesInLastMinute(at: environment.time.now)
            figures[.unstoredResults] = refreshes.notStored.count
            return ClientHealth(
                storeFailure: failure,
                oldestUnstoredResult: refreshes.oldestNotStored.map(environment.time.elapsed(since:)),
                figures: figures)
        }
    }

    /// Sends the ``health`` to the observers every 15 seconds until the task is cancelled. After that, no provider of the
    /// environment starts a refresh. The call returns when all running refreshes have ended and their results are stored, but
    /// at the latest 40 seconds after the cancellation.
    public func run() async {
        while !Task.isCancelled {
            let health = await health
            if !Task.isCancelled { environment.observers.emit(.health(health)) }
            _ = try? await environment.time.sleep(for: .seconds(15))
        }
        await environment.refreshMonitor.close(within: .seconds(40), time: environment.time)
    }
}
