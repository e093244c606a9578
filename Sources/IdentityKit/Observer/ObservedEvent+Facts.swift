private struct Facts {
    let name: EventName
    var level = EventLevel.debug
    var account: AccountID?
    var duration: Duration?
    var error: (any Error)?
    var text: String
    /// The fields besides those of the account. A field in this list replaces the account's field of the same name, such as
    /// `provider`.
    var fields: [EventDetails.Field] = []

    var allFields: [EventDetails.Field] {
        let names = Set(fields.map { $0.name })
        return fields + EventField.naming(account).filter { !names.contains($0.name) }
    }
}

extension ObservedEvent {
    /// All properties of this event together.
    package var details: EventDetails {
        EventDetails(
            name: name, level: level, message: description, fields: fields, duration: duration, errorCode: failureCode)
    }

    /// A stable name such as `refresh.stored`, for metrics.
    public var name: String { facts.name.rawValue }
    /// The level to log ``description`` at: `debug`, `info` or `warning`.
    public var level: EventLevel { facts.level }
    /// The account that the event concerns; `nil` when it concerns none, or the account is unknown.
    public var account: AccountID? { facts.account }
    /// How long the event took by the environment's clock; `nil` if that was not measured.
    public var duration: Duration? { facts.duration }
    /// The stable code of the event's error (see ``/IdentityCore/IdentityFailure/failureCode``), or `unknown_error` for
    /// an error without a code; `nil` for an event without an error.
    public var failureCode: String? { facts.error.map { ($0 as? any IdentityFailure)?.failureCode ?? "unknown_error" } }

    /// The facts of the event, in display order, such as its provider and the resource.
    ///
    /// The fields ``EventField/account``, ``EventField/resource`` and ``EventField/grant`` have an unlimited number of values.
    /// Use them in logs and traces, but never as dimensions of a metric.
    public var fields: [(name: EventField, value: String)] { facts.allFields }

    private var facts: Facts {
        switch kind {
        case .refreshBegan(let account, let resource, let grant):
            Facts(
                name: .refreshBegan, account: account, text: "refresh of \(account) begins",
                fields: EventField.naming(resource: resource, grant: grant))
        case .refreshShared(let account, let resource, let grant):
            Facts(
                name: .refreshShared, account: account, text: "refresh of \(account) is shared",
                fields: EventField.naming(resource: resource, grant: grant))
        case .refreshEnded(let account, let outcome, let duration, let resource, let grant):
            outcome.facts(of: account, EventField.naming(resource: resource, grant: grant), after: duration)
        case .session(let report): report.facts
        case .chain(let event): event.facts
        case .client(let event): event.facts
        case .health(let health):
            Facts(
                name: .clientHealth, error: health.storeFailure,
                text: "the store \(health.isReady ? "can" : "cannot") be read, "
                    + "\(health.figures[.unstoredResults] ?? 0) results are not stored")
        case .store(let event): event.facts
        case .takeover(let event): event.facts
        case .resource(let event): event.facts
        }
    }
}

extension ObservedEvent: CustomStringConvertible {
    /// The text for a log: the event, its resource, its error and its duration, without secrets.
    public var description: String {
        let facts = facts
        let resource = facts.fields.first { $0.name == .resource }.map { " for \($0.value)" } ?? ""
        let duration = facts.duration.map { " [\($0.formattedSeconds)]" } ?? ""
        return facts.text + resource + (facts.error.map { ": \($0.scrubbedMessage)" } ?? "") + duration
    }
}

extension RefreshOutcome {
    fileprivate func facts(of account: AccountID, _ fields: [EventDetails.Field], after duration: Duration) -> Facts {
        let (name, level, error, text): (EventName, EventLevel, (any Error)?, String) =
            switch self {
            case .stored: (.refreshStored, .info, nil, "was refreshed")
            case .notStored(let error): (.refreshNotStored, .warning, error, "was refreshed and is not stored")
            case .elsewhere: (.refreshElsewhere, .debug, nil, "was not refreshed by this call")
            case .lost: (.refreshLost, .info, nil, "was refreshed too late: it was replaced meanwhile")
            case .refused(let reason):
                (.refreshRefused, .warning, SessionError.ended(account, reason: reason), "has ended")
            case .failed(let error): (.refreshFailed, .warning, error, "could not be refreshed")
            }
        return Facts(
            name: name, level: level, account: account, duration: duration, error: error,
            text: "the session of \(account) \(text)", fields: fields)
    }
}

extension SessionReport {
    fileprivate var facts: Facts {
        let (name, level, account, error, text): (EventName, EventLevel, AccountID, (any Error)?, String) =
            switch self {
            case .refreshed(let account, _, _): (.sessionRefreshed, .debug, account, nil, "has a new access token")
            case .suspended(let account, let suspension):
                (.sessionSuspended, .warning, account, SessionError.suspended(account, suspension), "needs a sign-in")
            case .resumed(let account): (.sessionResumed, .info, account, nil, "is refreshed again")
            case .postponed(let account, let error, _, _):
                (.sessionPostponed, .info, account, error, "is refreshed later")
            case .notStored(let account, let error): (.sessionNotStored, .warning, account, error, "is not stored")
            case .droppedIDToken(let account, let error):
                (.sessionDroppedIDToken, .info, account, error, "continues without its ID token")
            case .tolerated(let account, let faults):
                (
                    .sessionTolerated, .info, account, nil,
                    "was refreshed by an odd response: \(faults.joined(separator: ", "))"
                )
            case .misconfigured(let account, let error):
                (.sessionMisconfigured, .warning, account, error, "is kept, and the client was refused")
            case .revocationPostponed(let account, let error):
                (.sessionRevocationPostponed, .info, account, error, "was ended, and is revoked later")
            case .notRevoked(let account, let error):
                (.sessionNotRevoked, .warning, account, error, "was ended without revoking its tokens")
            case .stored(let account): (.sessionStored, .info, account, nil, "is stored now")
            }
        return Facts(
            name: name, level: level, account: account, error: error, text: "the session of \(account) \(text)",
            fields: fields)
    }

    private var fields: [EventDetails.Field] {
        switch self {
        case .refreshed(_, let resource, let grant), .postponed(_, because: _, let resource, let grant):
            EventField.naming(resource: resource, grant: grant)
        default: []
        }
    }
}

extension ChainEvent {
    /// Level for a log: `debug` for an attempt, `info` for a change of the chosen account, and `warning` when the
    /// chain has found no account, or a session has ended or belongs to another configuration.
    package var level: EventLevel {
        switch self {
        case .attempt: .debug
        case .selectionChanged: .info
        case .sessionEnded, .belongsElsewhere, .walkFailed: .warning
        }
    }

    fileprivate var facts: Facts {
        switch self {
        case .attempt(let attempt):
            Facts(
                name: .chainAttempt, level: level, account: attempt.account, duration: attempt.duration,
                error: attempt.error, text: "provider \(attempt.error == nil ? attempt.description : attempt.provider)",
                fields: [(name: .provider, value: attempt.provider)])
        case .selectionChanged(let change):
            Facts(name: .chainSelectionChanged, level: level, account: change.to, text: description)
        case .sessionEnded(let account, _):
            Facts(name: .chainSessionEnded, level: level, account: account, text: description)
        case .belongsElsewhere(let account, _):
            Facts(name: .chainBelongsElsewhere, level: level, account: account, text: description)
        case .walkFailed(let error):
            Facts(name: .chainWalkFailed, level: level, error: error, text: "no account was found")
        }
    }
}

extension IdentityEvent {
    fileprivate var facts: Facts {
        let (name, text): (EventName, String) =
            switch self {
            case .signedIn(let account): (.clientSignedIn, "\(account) is active")
            case .fellBack(let account, let fallback): (.clientFellBack, "\(account) is active \(fallback)")
            case .suspended(let account, let suspension):
                (.clientSuspended, SessionError.suspended(account, suspension).messageWithIdentifier)
            case .sessionEnded(let account, let reason):
                (.clientSessionEnded, SessionError.ended(account, reason: reason).messageWithIdentifier)
            case .belongsElsewhere(let account, let reason):
                (.clientBelongsElsewhere, SessionError.belongsElsewhere(account, reason: reason).messageWithIdentifier)
            case .signedOut: (.clientSignedOut, "no account is active")
            case .configurationChanged: (.clientConfigurationChanged, "another configuration is in use")
            case .configurationRejected(let reason):
                (.clientConfigurationRejected, "a configuration was refused: \(reason)")
            }
        var facts = Facts(name: name, level: .info, account: account, text: text)
        if case .configurationRejected = self { facts.level = .warning }
        return facts
    }
}

extension StoreEvent {
    fileprivate var facts: Facts {
        let place = "the record of \(account?.id ?? collection.rawValue)"
        var facts =
            switch kind {
            case .waited(let duration):
                Facts(name: .storeWaited, duration: duration, text: "\(place) was held by another task or process")
            case .conflict:
                Facts(name: .storeConflict, text: "\(place) was changed by another task or process first")
            case .failed(let error):
                Facts(name: .storeFailed, level: .warning, error: error, text: "\(place) is out of reach")
            case .notFlushed(let error):
                Facts(
                    name: .storeNotFlushed, level: .warning, error: error,
                    text: "\(place) is written, and a power failure may undo that")
            case .setAside:
                Facts(name: .storeSetAside, level: .warning, text: "\(place) was damaged and set aside")
            case .startedAnew:
                Facts(
                    name: .storeStartedAnew, level: .warning,
                    text: "the sessions were set aside, because this device has lost their key, or never had it")
            }
        facts.fields = [(name: .collection, value: collection.rawValue)]
        facts.account = account
        return facts
    }
}

extension SessionImportEvent {
    fileprivate var facts: Facts {
        let (name, level, error, text): (EventName, EventLevel, (any Error)?, String) =
            switch kind {
            case .takenOver: (.takeoverTakenOver, .info, nil, "was taken over")
            case .alreadySignedIn: (.takeoverAlreadySignedIn, .info, nil, "is not needed: there is a session already")
            case .signedOut: (.takeoverSignedOut, .info, nil, "was dropped: somebody has signed out here")
            case .notRemoved(let error): (.takeoverNotRemoved, .warning, error, "could not be removed")
            case .failed(let error): (.takeoverFailed, .warning, error, "was not taken over")
            }
        return Facts(
            name: name, level: level, account: account, error: error,
            text: "the session that \(source) has kept\(account.map { " for \($0)" } ?? "") \(text)",
            fields: [(name: .source, value: source)])
    }
}

extension ResourceEvent {
    fileprivate var facts: Facts {
        switch self {
        case .serverChanged(let resource, let from, let to):
            Facts(
                name: .resourceServerChanged, level: .warning,
                text: "\(resource) names \(to) as its server, and it was \(from)")
        case .undescribed(let resource):
            Facts(
                name: .resourceUndescribed, level: .warning,
                text: "\(resource) does not describe itself, and the server at its own address is used")
        }
    }
}

extension ChainAttempt {
    fileprivate var account: AccountID? {
        if case .account(let account) = outcome { account } else { nil }
    }

    fileprivate var error: (any Error)? {
        switch outcome {
        case .failed(let error), .passedOver(let error): error
        case .account, .absent: nil
        }
    }
}
