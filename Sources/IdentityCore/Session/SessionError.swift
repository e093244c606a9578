import Foundation

/// An error that explains why there is no access token for an account.
///
/// The class is ``FailureClass/transient`` when a later call may succeed without a sign-in or another setting. Signing in
/// would help when the session is absent here, has ended, is suspended, or cannot be refreshed.
public enum SessionError: StatedFailure, Equatable {
    case notSignedIn(AccountID)
    /// The session has ended. `reason` says why, in words for a person, and is often a whole message that ends with a request
    /// to sign in.
    case ended(AccountID, reason: String)
    /// The session belongs to another configuration, which `reason` names, and is kept for that configuration. In the
    /// current configuration, the account has no session, and signing in replaces the kept session.
    case belongsElsewhere(AccountID, reason: String)
    /// The session is suspended, usually until a new sign-in, as ``Suspension`` describes. Its tokens are kept.
    case suspended(AccountID, Suspension)
    /// The access token has expired or was refused, and there is no refresh token or other source of a new one.
    case cannotRefresh(AccountID)
    /// The session does not have the scopes in `missing`. Request them with `requestAuthorization`.
    case insufficientScope(AccountID, missing: Set<String>)
    /// The session is being refreshed by another task or process, which did not finish in time. Or the result of the
    /// last refresh is unknown, so that the refresh token must not be sent now.
    case refreshInProgress(AccountID)
    /// The last refresh failed or could not begin, for a temporary reason. The session is kept, and a call after
    /// `nextAttempt` tries again.
    case refreshPostponed(AccountID, reason: String, nextAttempt: Date)
    /// The backend refused the refresh a moment ago, which may mean that the session has ended. A call after `nextAttempt`
    /// repeats the refresh.
    case refreshRefused(AccountID, reason: String, nextAttempt: Date)
    /// The backend refuses the client and not the session, or the backend's responses remain unusable. Both point to a
    /// mistake in the configuration. The session is kept, and a call after `nextAttempt` tries again.
    case clientRefused(AccountID, reason: String, nextAttempt: Date)
    /// The session lacks something that the server requires for a refresh, such as scopes; request it with
    /// `requestAuthorization`. `scopes` are the scopes that the session has now. The session is kept, and a call after
    /// `nextAttempt` tries again.
    case stepUpNeeded(AccountID, scopes: Set<String>, reason: String, nextAttempt: Date)
    /// There is no token for this resource: the server refuses it, the provider issues none, or the session has no
    /// refresh token to request it with. Other tokens of the session are kept. A call after `nextAttempt` asks again;
    /// `nil` means that asking again cannot help.
    case resourceNotGranted(AccountID, resource: String, reason: String, nextAttempt: Date?)

    package var account: AccountID {
        switch self {
        case .notSignedIn(let account), .ended(let account, _), .belongsElsewhere(let account, _),
            .suspended(let account, _), .cannotRefresh(let account), .insufficientScope(let account, _),
            .refreshInProgress(let account), .refreshPostponed(let account, _, _),
            .refreshRefused(let account, _, _), .clientRefused(let account, _, _),
            .stepUpNeeded(let account, _, _, _), .resourceNotGranted(let account, _, _, _):
            account
        }
    }

    /// The message names the account's realm, because an account's identifier means nothing to a person.
    package var facts: FailureFacts { facts(calling: nil) }

    /// The message for operators, with the account's identifier.
    package var messageWithIdentifier: String { facts(calling: account.id).message }

    /// Returns the facts with a name for the account in the message.
    /// - Parameter name: the account's name; `nil` names only the realm.
    private func facts(calling name: String?) -> FailureFacts {
        let session = name.map { "session of \($0)" } ?? "session with \(account.realm)"
        return switch self {
        case .notSignedIn:
            .definitive(
                "not_signed_in",
                "Nobody is signed in \(name.map { "as \($0)" } ?? "with \(account.realm)"). Sign in first.",
                asksForSignIn: true)
        case .ended(_, let reason):
            .definitive("session_ended", reason.message(onEndOf: "The \(session)"), asksForSignIn: true)
        case .belongsElsewhere(_, let reason):
            .definitive(
                "session_belongs_elsewhere",
                "The \(session) cannot be used here: \(reason) Signing in replaces it.",
                asksForSignIn: true)
        case .suspended(_, let suspension):
            .definitive(
                "session_suspended",
                "The \(session) needs a sign-in: \(suspension.reason) Its tokens are kept. Sign in again.",
                asksForSignIn: true)
        case .cannotRefresh:
            .definitive(
                "session_cannot_refresh",
                "The access token of the \(session) has expired or was refused, and there is nothing to refresh it with. Sign in "
                    + "again.",
                asksForSignIn: true)
        case .insufficientScope(_, let missing):
            .definitive(
                "insufficient_scope",
                "The \(session) lacks \(missing.sorted().joined(separator: ", ")). Request authorization for it.")
        case .refreshInProgress:
            .transient(
                "refresh_in_progress",
                "The \(session) is being refreshed elsewhere and that takes too long. Try again.")
        case .refreshPostponed(_, let reason, let nextAttempt):
            .transient(
                "refresh_postponed",
                "The \(session) could not be refreshed: \(reason) It is kept, and a call after "
                    + "\(nextAttempt.inWholeSeconds) tries again.")
        case .refreshRefused(_, let reason, let nextAttempt):
            .transient(
                "refresh_refused",
                "The server did not refresh the \(session) and may have ended it: \(reason) A call after "
                    + "\(nextAttempt.inWholeSeconds) tries again.")
        case .clientRefused(_, let reason, _):
            .definitive(
                "client_refused",
                "The \(session) cannot be refreshed with this configuration: \(reason) The session is kept.")
        case .stepUpNeeded(_, let scopes, let reason, let nextAttempt):
            .definitive(
                "insufficient_scope",
                "The server does not refresh the \(session) with what it has"
                    + (scopes.isEmpty ? "" : " (\(scopes.sorted().joined(separator: ", ")))")
                    + ": \(reason) Request authorization for it. The session is kept, and a call after "
                    + "\(nextAttempt.inWholeSeconds) tries again.")
        case .resourceNotGranted(_, let resource, let reason, let nextAttempt):
            .definitive(
                "resource_not_granted",
                "The \(session) gets no token for \(resource): \(reason) Its other tokens are kept."
                    + (nextAttempt.map { " A call after \($0.inWholeSeconds) asks again." } ?? ""))
        }
    }

    /// The time after which a call tries again; `nil` when no such time is known, or when only a person can help.
    public var nextAttempt: Date? {
        switch self {
        case .refreshPostponed(_, _, let date), .refreshRefused(_, _, let date), .clientRefused(_, _, let date),
            .stepUpNeeded(_, _, _, let date):
            date
        case .resourceNotGranted(_, _, _, let date): date
        case .suspended(_, let suspension): suspension.nextAttempt
        case .notSignedIn, .ended, .belongsElsewhere, .cannotRefresh, .insufficientScope, .refreshInProgress: nil
        }
    }
}

extension Date {
    /// The date in UTC in the format of RFC 3339. Fractions of a second are rounded up, so that an attempt at the
    /// printed time is not too early.
    fileprivate var inWholeSeconds: String {
        let second = Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.up)).wholeSecondsSince1970
        return Date(timeIntervalSince1970: TimeInterval(second)).ISO8601Format()
    }
}
