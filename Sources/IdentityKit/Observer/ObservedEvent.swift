/// An event in an environment, such as a refresh, a sign-in or a failure of the store.
///
/// Log ``description`` at ``level`` with the ``fields``, count events by ``name`` and ``failureCode``, and measure
/// ``duration``. Every kind of event has these properties, including kinds that later versions add. None of them contains a
/// secret.
public struct ObservedEvent: Sendable {
    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// The health of the client, reported every 15 seconds while ``IdentityClient/run()`` runs; `nil` for other events.
    public var health: ClientHealth? {
        if case .health(let health) = kind { health } else { nil }
    }

    /// The kinds of events, by the component that reports them.
    package enum Kind: Sendable {
        /// A refresh of the session's own token, or of the token for `resource`, began in this process. `grant` is the
        /// identifier of the additional authorization (``Grant``) whose refresh token is used; `nil` for the session's first
        /// grant.
        case refreshBegan(AccountID, resource: String? = nil, grant: String? = nil)
        /// A caller joined a refresh that was running already in this process.
        case refreshShared(AccountID, resource: String? = nil, grant: String? = nil)
        /// A refresh in this process ended after `duration`, which includes the wait for the account's lease.
        case refreshEnded(
            AccountID, RefreshOutcome, duration: Duration, resource: String? = nil, grant: String? = nil)
        case session(SessionReport)
        case chain(ChainEvent)
        /// A change of who is signed in or of the configuration, also sent by ``IdentityClient/events(as:)``.
        case client(IdentityEvent)
        /// The health of the client, reported every 15 seconds while ``IdentityClient/run()`` runs.
        case health(ClientHealth)
        /// A wait for the store, or a conflict, failure or damage in it.
        case store(StoreEvent)
        /// The result of an attempt to import a session that another library has stored.
        case takeover(SessionImportEvent)
        /// A finding about the metadata of a protected resource (RFC 9728).
        case resource(ResourceEvent)
    }
}

/// A finding about the metadata of a protected resource (RFC 9728). Each value is a host, with its port unless that is the
/// default.
package enum ResourceEvent: Sendable {
    /// The resource names a different authorization server than at the last sign-in.
    case serverChanged(resource: String, from: String, to: String)
    /// The resource publishes no metadata, so the server at its own origin is used.
    case undescribed(resource: String)
}

/// The outcome of a refresh, for observers.
package enum RefreshOutcome: Sendable {
    /// A new credential is stored.
    case stored
    /// The new credential could not be stored. This process uses the credential and keeps trying to store it.
    case notStored(any Error)
    /// The refresh produced no credential to store, usually because another task or process has refreshed the session or
    /// is refreshing it. Also used when the issuer still accepts an access token that has no refresh token.
    case elsewhere
    /// The new credential was not stored, because a sign-in, a sign-out or a refresh of another process came first.
    case lost
    case refused(reason: String)
    /// The refresh failed without ending the session. The session may be suspended now.
    case failed(any Error)
}

/// An event in the store: a wait, a conflict, a failure, or a record that was set aside.
package struct StoreEvent: Sendable {
    package enum Kind: Sendable {
        /// A refresh waited this long for the account's lease, which another task or process held.
        case waited(Duration)
        /// A write was refused, because another task or process had changed the record.
        case conflict
        /// The store could not be read or written.
        case failed(any Error)
        /// A record was written, but its folder could not be flushed, so a power failure may restore the former record.
        case notFlushed(any Error)
        /// A damaged record was moved to the quarantine.
        case setAside
        /// The store was restored on a device that does not have the store's key, or the system has deleted the key. Everybody
        /// has to sign in again, and the old records are in quarantine.
        case startedAnew
    }

    package let kind: Kind
    package let collection: StoreKey.Collection
    /// The account whose record in the collection `accounts` or `refreshes` the event concerns. `nil` for the record of a
    /// further grant, for any other collection, and for an event that concerns a whole collection. With `nil`, the event does
    /// not show which record it concerns.
    package let account: AccountID?

    init(_ kind: Kind, _ key: StoreKey) {
        self.kind = kind
        collection = key.collection
        account = [.accounts, .refreshes].contains(key.collection) ? AccountID(id: key.name) : nil
    }
}

/// The importance of an event, to be mapped to the level of a log.
public enum EventLevel: String, Sendable, Comparable, CaseIterable {
    case debug
    /// A change that users notice.
    case info
    /// A failure, or something that needs attention.
    case warning

    /// Returns whether `left` is less important than `right`.
    public static func < (left: EventLevel, right: EventLevel) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}
