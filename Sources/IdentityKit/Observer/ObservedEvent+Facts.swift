/// The common form of all events.
private struct Facts {
    let name: String
    var level = EventLevel.debug
    var account: AccountID?
    var duration: Duration?
    var error: (any Error)?
    var text: String
}

extension ObservedEvent {
    /// A stable name such as `refresh.stored`, for metrics.
    public var name: String { facts.name }
    /// The level to log the event at.
    public var level: EventLevel { facts.level }
    /// The account of the event, if it has one.
    public var account: AccountID? { facts.account }
    /// How long it took by the environment's clock, where that was measured.
    public var duration: Duration? { facts.duration }
    /// The stable code of the error; see ``IdentityFailure/failureCode``. An error without one is an `unknown_error`.
    public var failureCode: String? { facts.error.map { ($0 as? any IdentityFailure)?.failureCode ?? "unknown_error" } }

    private var facts: Facts {
        switch self {
        case .refreshBegan(let account):
            Facts(name: "refresh.began", account: account, text: "refresh of \(account) begins")
        case .refreshShared(let account):
            Facts(name: "refresh.shared", account: account, text: "refresh of \(account) is waited for")
        case .refreshEnded(let account, let outcome, let duration):
            outcome.facts(of: account, after: duration)
        case .session(let report): report.facts
        case .chain(let event): event.facts
        case .client(let event): event.facts
        case .store(let event): event.facts
        case .takeover(let event): event.facts
        }
    }
}

extension ObservedEvent: CustomStringConvertible {
    /// The text to log. It contains no secret.
    public var description: String {
        let facts = facts
        let duration = facts.duration.map { " [\($0.formattedSeconds)]" } ?? ""
        return facts.text + (facts.error.map { ": \($0.scrubbedMessage)" } ?? "") + duration
    }
}

extension RefreshOutcome {
    fileprivate func facts(of account: AccountID, after duration: Duration) -> Facts {
        let (name, level, error, text): (String, EventLevel, (any Error)?, String) =
            switch self {
            case .stored: ("stored", .info, nil, "was refreshed")
            case .notStored(let error): ("not_stored", .warning, error, "was refreshed and is not stored")
            case .elsewhere: ("elsewhere", .debug, nil, "is refreshed by another task or process")
            case .lost: ("lost", .info, nil, "was refreshed too late: it was replaced meanwhile")
            case .refused(let reason): ("refused", .warning, SessionError.ended(account, reason: reason), "has ended")
            case .failed(let error): ("failed", .warning, error, "could not be refreshed")
            }
        return Facts(
            name: "refresh.\(name)", level: level, account: account, duration: duration, error: error,
            text: "the session of \(account) \(text)")
    }
}

extension SessionReport {
    fileprivate var facts: Facts {
        let (name, level, account, error, text): (String, EventLevel, AccountID, (any Error)?, String) =
            switch self {
            case .refreshed(let account): ("refreshed", .debug, account, nil, "has a new access token")
            case .postponed(let account, let error): ("postponed", .info, account, error, "is refreshed later")
            case .notStored(let account, let error): ("not_stored", .warning, account, error, "is not stored")
            case .droppedIDToken(let account, let error):
                ("dropped_id_token", .info, account, error, "continues without its ID token")
            case .misconfigured(let account, let error):
                ("misconfigured", .warning, account, error, "is kept, and the client was refused")
            case .notRevoked(let account, let error):
                ("not_revoked", .warning, account, error, "was ended without revoking its tokens")
            case .stored(let account): ("stored", .info, account, nil, "is stored now")
            }
        return Facts(
            name: "session.\(name)", level: level, account: account, error: error,
            text: "the session of \(account) \(text)")
    }
}

extension ChainEvent {
    fileprivate var facts: Facts {
        switch self {
        case .attempt(let attempt):
            Facts(
                name: "chain.attempt", level: level, account: attempt.account, duration: attempt.duration,
                error: attempt.error, text: "provider \(attempt.provider)")
        case .selectionChanged(let change):
            Facts(name: "chain.selection_changed", level: level, account: change.to, text: description)
        case .sessionEnded(let account, _):
            Facts(name: "chain.session_ended", level: level, account: account, text: description)
        case .walkFailed(let error):
            Facts(name: "chain.walk_failed", level: level, error: error, text: "no account was found")
        }
    }
}

extension IdentityEvent {
    fileprivate var facts: Facts {
        let (name, text) =
            switch self {
            case .signedIn(let account): ("signed_in", "\(account) is active")
            case .fellBack(let account, let fallback): ("fell_back", "\(account) is active \(fallback)")
            case .sessionEnded(let account, let reason):
                ("session_ended", SessionError.ended(account, reason: reason).message)
            case .signedOut: ("signed_out", "no account is active")
            case .configurationChanged: ("configuration_changed", "another configuration is in use")
            case .configurationRejected(let reason):
                ("configuration_rejected", "a configuration was refused: \(reason)")
            }
        var facts = Facts(name: "client.\(name)", level: .info, account: account, text: text)
        if case .configurationRejected = self { facts.level = .warning }
        return facts
    }
}

extension StoreEvent {
    fileprivate var facts: Facts {
        let place = "the record of \(account?.id ?? collection.rawValue)"
        return switch kind {
        case .waited(let duration):
            Facts(
                name: "store.waited", account: account, duration: duration,
                text: "\(place) was held by another task or process")
        case .conflict:
            Facts(
                name: "store.conflict", account: account, text: "\(place) was changed by another task or process first")
        case .failed(let error):
            Facts(
                name: "store.failed", level: .warning, account: account, error: error, text: "\(place) is out of reach")
        case .setAside:
            Facts(
                name: "store.set_aside", level: .warning, account: account,
                text: "\(place) was damaged and set aside")
        case .startedAnew:
            Facts(
                name: "store.started_anew", level: .warning,
                text: "the sessions came from another device without their key and were set aside")
        }
    }
}

extension TakeoverEvent {
    fileprivate var facts: Facts {
        let (name, level, error, text): (String, EventLevel, (any Error)?, String) =
            switch kind {
            case .takenOver: ("taken_over", .info, nil, "was taken over")
            case .alreadySignedIn: ("already_signed_in", .info, nil, "is not needed: there is a session already")
            case .signedOut: ("signed_out", .info, nil, "was dropped: somebody has signed out here")
            case .notRemoved(let error): ("not_removed", .warning, error, "could not be removed")
            case .failed(let error): ("failed", .warning, error, "was not taken over")
            }
        return Facts(
            name: "takeover.\(name)", level: level, account: account, error: error,
            text: "the session that \(source) has kept\(account.map { " for \($0)" } ?? "") \(text)")
    }
}

extension ChainAttempt {
    fileprivate var account: AccountID? {
        if case .account(let account) = outcome { account } else { nil }
    }

    fileprivate var error: (any Error)? {
        switch outcome {
        case .failed(let error), .passedOver(let error): error
        case .account, .none: nil
        }
    }
}
