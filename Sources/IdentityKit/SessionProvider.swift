import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider that keeps sessions in the shared store, so that it can answer without showing anything, refresh a rejected
/// token and sign out.
///
/// Every provider of this package is one; a chain is one too. A provider with only the three methods of
/// ``IdentityProvider`` works in a chain as well, without these abilities. It is asked silently all the same, whatever
/// ``IdentityProvider/mayShowSignIn`` says, which here is about ``signIn(scopes:deviceToken:)``.
public protocol SessionProvider: IdentityProvider {
    /// The realms of the accounts this provider answers for. A chain routes by them.
    var realms: Set<String> { get }

    /// What is missing for this provider to be of any use here, such as a variable of the environment; `nil` when nothing
    /// is. A chain passes over a provider with a gap, so the answer must be cheap: no file, no network.
    var missingConfiguration: String? { get }

    /// Looks for a signed-in account without showing anything to the user.
    /// - Throws: when the answer cannot be known, for example because the store is locked.
    func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup

    /// Looks for one account without showing anything to the user: the one that was chosen before.
    ///
    /// A provider that keeps several accounts answers for this one; the default is ``silentAccount(scopes:deviceToken:)``,
    /// whose answer may be another account.
    /// - Throws: when the answer cannot be known.
    func silentAccount(_ account: AccountID, scopes: Set<String>, deviceToken: String) async throws -> AccountLookup

    /// Lets the user sign in, even when an account is signed in already.
    /// - Returns: the new account, or `nil` when this provider has no means to show a sign-in here.
    /// - Throws: when the user did not sign in.
    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID?

    /// A token other than `rejectedToken`, which a resource server has just refused with 401.
    ///
    /// When somebody has refreshed since that token was handed out, the newer token is the answer and nothing is sent.
    /// - Throws: when the session cannot be refreshed.
    func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String

    /// `request` with the account's access token: a bearer token (RFC 6750), or as the session demands, such as with a
    /// proof of possession (RFC 9449).
    /// - Throws: as ``IdentityProvider/accessToken(for:scopes:)``.
    func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest

    /// `request`, which ``authorize(_:for:scopes:)`` made and a server answered with 401, once more: with another token,
    /// or with what the server asks for.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the refusal, which may say what is missing; `nil` when the caller does not have it.
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes the token must carry.
    /// - Returns: `nil` when there is nothing else to try; then the refusal stands.
    /// - Throws: when the session cannot be refreshed.
    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest?

    /// Ends the session: first here, so that it is over even without a network, then at the backend where it can be.
    /// - Throws: when the local session could not be ended. A backend that cannot be reached is not an error.
    func signOut(_ accountID: AccountID) async throws
}

extension SessionProvider {
    /// Nothing is missing.
    public var missingConfiguration: String? { nil }

    /// Whether the provider can be of use here: it has no ``missingConfiguration``.
    public var isConfigured: Bool { missingConfiguration == nil }

    /// Whatever account the provider answers for.
    /// - Throws: what ``silentAccount(scopes:deviceToken:)`` throws.
    public func silentAccount(
        _ account: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        try await silentAccount(scopes: scopes, deviceToken: deviceToken)
    }

    /// The signed-in account, else a sign-in, else `nil`.
    /// - Throws: what the silent look or the sign-in throws.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let lookup = try await silentAccount(scopes: scopes, deviceToken: deviceToken)
        if let account = lookup.account { return account }
        return try await signIn(scopes: scopes, deviceToken: deviceToken)
    }
}

/// What a silent look for an account found.
public enum AccountLookup: Sendable {
    /// Somebody is signed in.
    case found(AccountID)
    /// Somebody is signed in, and stands in for the account whose session ended. Only a chain answers this, one with
    /// ``SessionEndPolicy/fallBack``.
    case fallback(AccountID, SessionFallback)
    /// Nobody is signed in, and why.
    case none(AbsenceReason)

    /// The account, if there is one.
    public var account: AccountID? {
        switch self {
        case .found(let account), .fallback(let account, _): account
        case .none: nil
        }
    }

    /// Whom the account stands in for, if it does.
    public var fallback: SessionFallback? {
        if case .fallback(_, let fallback) = self { fallback } else { nil }
    }
}

/// Why a provider has no account to offer. This is what turns a bare `nil` into an explanation.
public enum AbsenceReason: Sendable {
    /// Nobody has signed in here yet, as far as the store knows.
    case neverSignedIn
    /// The user signed out.
    case signedOut
    /// The session has ended, by the backend's word or because it cannot be refreshed, or it is another configuration's
    /// (``SessionOrigin``); the text says how that was learnt.
    case sessionEnded(SessionEndReason)
    /// The session of the active account has ended, for this reason, and nobody has decided yet who comes next. Nobody else
    /// is asked: see ``SessionEndPolicy/ask``.
    case activeSessionEnded(AccountID, reason: SessionEndReason)
    /// The provider has only the three basic methods and has answered `nil`.
    case noAccount
    /// The provider has only the three basic methods and may show a sign-in, so it is not asked silently.
    case mayShowSignIn
    /// The provider cannot show a sign-in here: it was given neither a prompter nor a browser.
    case cannotShowSignIn
    /// Something is missing for the provider to be of use here; the text says what.
    case notConfigured(String)
    /// An override keeps the provider out; the text says which.
    case excluded(String)
    /// It failed, and the app says that this failure means absence.
    case unavailable(String)
    /// Every provider of a nested chain was asked in vain.
    case chain([ChainAttempt])
}

extension AbsenceReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .neverSignedIn: "nobody has signed in"
        case .signedOut: "the user signed out"
        case .sessionEnded(let detail): detail.clause("the session")
        case .activeSessionEnded(let account, let reason): reason.clause("the session of \(account)")
        case .noAccount: "it has no account"
        case .mayShowSignIn: "it may show a sign-in, so it is asked only when nobody has an account"
        case .cannotShowSignIn: "it has no way to show a sign-in here"
        case .notConfigured(let gap): "not configured: \(gap)"
        case .excluded(let override): "kept out by \(override)"
        case .unavailable(let detail): "not available: \(detail)"
        case .chain(let attempts): attempts.summary
        }
    }
}
