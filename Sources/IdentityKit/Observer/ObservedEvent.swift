/// Something that happened in an environment.
///
/// Log ``description`` at ``level``, count by ``name`` and ``failureCode``, and measure ``duration``; or take
/// ``details``, which has these and more. Every event has these, including kinds that later versions add.
public struct ObservedEvent: Sendable {
    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// Health of the client, reported from time to time while ``IdentityClient/run()`` runs; `nil` for other events.
    public var health: ClientHealth? {
        if case .health(let health) = kind { health } else { nil }
    }

    /// The events of all parts.
    package enum Kind: Sendable {
        /// A refresh began in this process, of the session's own token or of the token for `resource`, with the
        /// additional `grant` if one is named.
        case refreshBegan(AccountID, resource: String? = nil, grant: String? = nil)
        /// A caller joined a refresh that was running already.
        case refreshShared(AccountID, resource: String? = nil, grant: String? = nil)
        /// A refresh of this process ended after `duration`, including the wait for another process.
        case refreshEnded(
            AccountID, RefreshOutcome, duration: Duration, resource: String? = nil, grant: String? = nil)
        case session(SessionReport)
        case chain(ChainEvent)
        /// A change of who is signed in, also in ``IdentityClient/events()``.
        case client(IdentityEvent)
        /// Health of the client, reported from time to time while ``IdentityClient/run()`` runs.
        case health(ClientHealth)
        /// A wait, conflict or failure in the store.
        case store(StoreEvent)
        /// A session of another library was imported or not.
        case takeover(SessionImportEvent)
        /// An observation about a protected resource that names its authorization server itself.
        case resource(ResourceEvent)
    }
}

/// An observation about a protected resource, with the hosts concerned.
package enum ResourceEvent: Sendable {
    /// The resource names a different authorization server than at the last sign-in.
    case serverChanged(resource: String, from: String, to: String)
    /// The resource publishes no metadata, so the server at its own origin is used.
    case undescribed(resource: String)
}

/// How a refresh ended.
package enum RefreshOutcome: Sendable {
    /// A new credential is stored.
    case stored
    /// The new credential could not be stored. This process uses it and keeps trying to store it.
    case notStored(any Error)
    /// No request was sent, because another task or process has refreshed the session or is doing so.
    case elsewhere
    /// The new credential was discarded, because a sign-in or sign-out came first.
    case lost
    case refused(reason: SessionEndReason)
    /// The refresh failed, and the session is unchanged.
    case failed(any Error)
}

/// A wait, conflict or failure in the store.
package struct StoreEvent: Sendable {
    /// Events at one record of a store.
    package enum Kind: Sendable {
        /// The lease was held by another task or process for this long.
        case waited(Duration)
        /// The record was changed first by another task or process.
        case conflict
        /// The store could not be read or written.
        case failed(any Error)
        /// A record was written, but its folder could not be flushed, so a power failure may restore the former record.
        case notFlushed(any Error)
        /// A damaged record was moved to the quarantine.
        case setAside
        /// The store was restored on a device that does not have its key. Everybody has to sign in again; the old
        /// records are in quarantine.
        case startedAnew
    }

    package let kind: Kind
    /// The collection of the record.
    package let collection: StoreKey.Collection
    /// The account of the record; `nil` for records of other collections, whose names are not shown.
    package let account: AccountID?

    init(_ kind: Kind, _ key: StoreKey) {
        self.kind = kind
        collection = key.collection
        account = [.accounts, .refreshes].contains(key.collection) ? AccountID(id: key.name) : nil
    }
}

/// How important an event is.
public enum EventLevel: String, Sendable, Comparable, CaseIterable {
    case debug
    /// A change that users notice.
    case info
    /// A failure, or something that needs attention.
    case warning

    /// Orders levels by importance.
    public static func < (left: EventLevel, right: EventLevel) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}
