/// Something that happened in an environment.
///
/// Log ``description`` at ``level``, count by ``name`` and ``failureCode``, and measure ``duration``: all events have these,
/// also those that a later version adds.
public enum ObservedEvent: Sendable {
    /// A refresh began in this process.
    case refreshBegan(AccountID)
    /// Somebody asked for a refresh that was running already, and waits for its result.
    case refreshShared(AccountID)
    /// A refresh of this process ended after `duration`, the wait for another process included.
    case refreshEnded(AccountID, RefreshOutcome, duration: Duration)
    /// What became of a session, beyond what callers see; also told by ``RefreshMonitor/reports()``.
    case session(SessionReport)
    /// What a chain did; also told to its `observe` closure.
    case chain(ChainEvent)
    /// Who is signed in; also told by ``IdentityClient/events()``.
    case client(IdentityEvent)
    /// What went otherwise than planned in the store.
    case store(StoreEvent)
}

/// How a refresh ended.
public enum RefreshOutcome: Sendable {
    /// A new credential is stored.
    case stored
    /// There is a new credential, and it could not be stored: this process uses it and keeps trying.
    case notStored(any Error)
    /// Nothing was sent: another task or process refreshed the session, or is at it.
    case elsewhere
    /// There was a new credential, and somebody had signed in or out meanwhile, which counts.
    case lost
    /// The session is over.
    case refused(reason: SessionEndReason)
    /// It failed, and the session is what it was.
    case failed(any Error)
}

/// What went otherwise than planned in the store.
public struct StoreEvent: Sendable {
    /// What it was.
    public enum Kind: Sendable {
        /// Another task or process held the right to refresh for this long.
        case waited(Duration)
        /// Somebody else changed the record first.
        case conflict
        /// The store could not be read or written.
        case failed(any Error)
        /// A damaged record was put into quarantine.
        case setAside
    }

    /// What it was.
    public let kind: Kind
    /// The kind of record it was about.
    public let collection: StoreKey.Collection
    /// The account it was about; `nil` for a record that is no account's. The names of other records are not told.
    public let account: AccountID?

    init(_ kind: Kind, _ key: StoreKey) {
        self.kind = kind
        collection = key.collection
        account = [.accounts, .refreshes].contains(key.collection) ? AccountID(id: key.name) : nil
    }
}

/// How important an event is.
public enum EventLevel: String, Sendable, Comparable, CaseIterable {
    /// The course of things.
    case debug
    /// A change that people notice.
    case info
    /// Something failed, or needs somebody.
    case warning

    /// Orders levels by importance.
    public static func < (left: EventLevel, right: EventLevel) -> Bool {
        allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
}
