#if Observability
@testable import IdentityKit

/// An event of every name, with all that such an event may say.
enum EventSpecimens {
    private static let account = AccountID(account: "ada", realm: "work")
    private static let resource = "https://notes.example.com"
    private static let grant = "0a1b"
    private static let reason = "refused"
    private static let configuration = IdentityConfiguration(store: .memory, providers: [])
    private static let suspension = Suspension("k", because: "No.", retries: .hourly, at: .distantPast)
    private static let error = TokenStoreError.locked(detail: "d")

    static let all = refreshes + sessions + chains + clients + [health] + stores + takeovers + resources

    private static let refreshes: [ObservedEvent] =
        [
            ObservedEvent(.refreshBegan(account, resource: resource, grant: grant)),
            ObservedEvent(.refreshShared(account, resource: resource, grant: grant)),
        ]
        + [
            RefreshOutcome.stored, .notStored(error), .elsewhere, .lost, .refused(reason: reason), .failed(error),
        ].map { ObservedEvent(.refreshEnded(account, $0, duration: .seconds(1), resource: resource, grant: grant)) }

    private static let sessions = [
        SessionReport.refreshed(account, resource: resource, grant: grant),
        .postponed(account, because: error, resource: resource, grant: grant), .notStored(account, because: error),
        .droppedIDToken(account, because: error), .misconfigured(account, because: error),
        .notRevoked(account, because: error), .stored(account), .suspended(account, suspension), .resumed(account),
        .tolerated(account, ["the content type"]), .revocationPostponed(account, because: error),
    ].map { ObservedEvent(.session($0)) }

    private static let chains = [
        ChainEvent.attempt(
            ChainAttempt(provider: "work", question: .silent, outcome: .account(account), duration: .seconds(1))),
        .attempt(ChainAttempt(provider: "work", question: .silent, outcome: .failed(error), duration: .seconds(1))),
        .selectionChanged(SelectionChange(from: nil, to: account, reason: .found)),
        .sessionEnded(account, reason: reason), .belongsElsewhere(account, reason: "It is of another client."),
        .walkFailed(ChainError(attempts: [], underlying: nil)),
    ].map { ObservedEvent(.chain($0)) }

    private static let clients = [
        IdentityEvent.signedIn(account), .fellBack(account, SessionFallback(from: account, reason: reason)),
        .sessionEnded(account, reason: reason), .belongsElsewhere(account, reason: "It is of another client."),
        .suspended(account, suspension), .signedOut,
        .configurationChanged(ConfigurationChange(from: configuration, to: configuration)),
        .configurationRejected("it is empty"),
    ].map { ObservedEvent(.client($0)) }

    /// With a number of its own for each figure.
    static let health = ObservedEvent(
        .health(
            ClientHealth(
                storeFailure: error, oldestUnstoredResult: .seconds(1),
                figures: [
                    .leasesInLastMinute: 1, .unstoredResults: 2, .connectionsInUse: 3, .waitingCalls: 4, .takeovers: 5,
                    .lostWatches: 6,
                ])))

    private static let stores = [
        StoreEvent(.waited(.seconds(1)), .account(account)), StoreEvent(.conflict, .account(account)),
        StoreEvent(.failed(error), .account(account)), StoreEvent(.setAside, .account(account)),
        StoreEvent(.notFlushed(error), .account(account)),
        StoreEvent(.startedAnew, StoreKey(.accounts, "")),
    ].map { ObservedEvent(.store($0)) }

    private static let resources = [
        ResourceEvent.serverChanged(resource: "notes.example.com", from: "id.example.com", to: "id.example.org"),
        .undescribed(resource: "notes.example.com"),
    ].map { ObservedEvent(.resource($0)) }

    private static let takeovers = [
        SessionImportEvent.Kind.takenOver, .alreadySignedIn, .signedOut, .notRemoved(error), .failed(error),
    ].map { ObservedEvent(.takeover(SessionImportEvent(kind: $0, source: "Elder", account: account))) }
}
#endif
