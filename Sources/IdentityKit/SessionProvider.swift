import Foundation

/// A provider with sessions in the shared store. It can look up an account without showing anything, replace a refused token
/// and sign out.
///
/// Every provider of this package is one, and so is a chain. A provider with only the three methods of
/// ``/IdentityCore/IdentityProvider`` works in a chain too. ``/IdentityCore/IdentityProvider/mayShowSignIn`` of a session
/// provider is about ``signIn(scopes:deviceToken:)``; the silent methods never show anything.
public protocol SessionProvider: IdentityProvider {
    /// The realms of this provider's accounts. A chain routes by them.
    var realms: Set<String> { get }

    /// What is missing for this provider to work, such as an environment variable; `nil` for nothing. A chain skips a provider
    /// with missing configuration. Do not read files or use the network here.
    var missingConfiguration: String? { get }

    /// Looks up a signed-in account without showing anything.
    /// - Throws: when that is unknown, for example because the store is locked.
    func silentAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountLookup

    /// Looks up one account, which was chosen before, without showing anything. By default it calls
    /// ``silentAccount(scopes:deviceToken:)``, which may find another account.
    /// - Throws: when that is unknown.
    func silentAccount(_ account: AccountID, scopes: Set<String>, deviceToken: String) async throws -> AccountLookup

    /// Lets the user sign in, even when an account is signed in already.
    /// - Returns: the new account, or `nil` when this provider cannot show a sign-in here.
    /// - Throws: when the user did not sign in.
    func signIn(scopes: Set<String>, deviceToken: String) async throws -> AccountID?

    /// How the sign-in is shown; `nil` when that is not known.
    var signInForm: SignInForm? { get }

    /// ``signIn(scopes:deviceToken:)`` with options for this one.
    /// - Throws: as ``signIn(scopes:deviceToken:)``, and at once ``SignInOptionsUnusable`` where the sign-in has no place for
    ///   them.
    func signIn(
        scopes: Set<String>, deviceToken: String, options: IdentityClient.SignInOptions
    ) async throws -> AccountID?

    /// A token other than `rejectedToken`, which a resource server has just refused with 401. When the session was refreshed
    /// meanwhile, the newer token is returned without a request.
    /// - Throws: when the session cannot be refreshed.
    func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String

    /// A token that lasts as long as the caller needs it, refreshed when the current one does not. A new one that does not last
    /// as long either is returned as it is. By default it is the current token, or another one.
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``, and when the session cannot be refreshed.
    func accessToken(
        for accountID: AccountID, scopes: Set<String>, freshness: TokenFreshness
    ) async throws -> String

    /// `request` with the account's access token: a bearer token (RFC 6750), or with a proof of possession (RFC 9449).
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``.
    func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest

    /// `request`, which ``authorize(_:for:scopes:)`` made and a resource server refused with 401, with another token or with
    /// what the server asks for.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the 401 response; `nil` when the caller does not have it.
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes that the token must have.
    /// - Returns: `nil` when there is no other token.
    /// - Throws: when the session cannot be refreshed.
    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest?

    /// Gets what a resource asks for that the session lacks: more scopes (RFC 6750 section 3.1), a stronger or more recent
    /// sign-in (RFC 9470), or another session in the place of one that it no longer accepts. It may show a sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - response: the response that refuses a request, with the status 401 or 403.
    ///   - deviceToken: an identifier unique to this physical device.
    /// - Returns: whether the request is worth repeating.
    /// - Throws: when the user did not sign in.
    func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, deviceToken: String
    ) async throws -> Bool

    /// Ends the session, first in the store and then at the backend, if it supports that.
    /// - Throws: when the local session could not be ended. A backend that cannot be reached is not an error.
    func signOut(_ accountID: AccountID) async throws
}

extension SessionProvider {
    /// Nothing is missing.
    public var missingConfiguration: String? { nil }

    /// Not known.
    public var signInForm: SignInForm? { nil }

    /// ``signIn(scopes:deviceToken:)``, which takes no options.
    /// - Throws: what ``signIn(scopes:deviceToken:)`` throws, and ``SignInOptionsUnusable``.
    public func signIn(
        scopes: Set<String>, deviceToken: String, options: IdentityClient.SignInOptions
    ) async throws -> AccountID? {
        guard options.isEmpty else { throw SignInOptionsUnusable() }
        return try await signIn(scopes: scopes, deviceToken: deviceToken)
    }

    /// Whether nothing is missing in the configuration.
    public var isConfigured: Bool { missingConfiguration == nil }

    /// `false`: nothing is understood of what resources ask for.
    /// - Throws: nothing.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, deviceToken: String
    ) async throws -> Bool { false }

    /// Calls ``silentAccount(scopes:deviceToken:)``.
    /// - Throws: what ``silentAccount(scopes:deviceToken:)`` throws.
    public func silentAccount(
        _ account: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> AccountLookup {
        try await silentAccount(scopes: scopes, deviceToken: deviceToken)
    }

    /// The signed-in account. The user signs in when there is none, or when its session is suspended.
    /// - Throws: what the silent lookup or the sign-in throws.
    public func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let lookup = try await silentAccount(scopes: scopes, deviceToken: deviceToken)
        if case .suspended(let account, _) = lookup {
            return try await signIn(scopes: scopes, deviceToken: deviceToken) ?? account
        }
        if let account = lookup.account { return account }
        return try await signIn(scopes: scopes, deviceToken: deviceToken)
    }
}

/// The result of looking up an account.
public enum AccountLookup: Sendable {
    /// An account is signed in, or it is a workload's, which needs nobody: see ``IdentityClient/isOnlyConfigured(_:)``.
    case found(AccountID)
    /// This account is signed in, and needs its person: its tokens are kept, and a sign-in renews them.
    case suspended(AccountID, Suspension)
    /// This account is signed in, as a fallback for one whose session has ended. Only a chain with
    /// ``SessionEndPolicy/fallBack`` returns it.
    case fallback(AccountID, SessionFallback)
    /// No account is signed in, for this reason.
    case none(AbsenceReason)

    /// The account, if there is one.
    public var account: AccountID? {
        switch self {
        case .found(let account), .suspended(let account, _), .fallback(let account, _): account
        case .none: nil
        }
    }

    /// Why the account needs its person, if it does.
    public var suspension: Suspension? {
        if case .suspended(_, let suspension) = self { suspension } else { nil }
    }

    /// The ended session that the account is a fallback for, if it is one.
    public var fallback: SessionFallback? {
        if case .fallback(_, let fallback) = self { fallback } else { nil }
    }
}

/// Why a provider has no account.
public enum AbsenceReason: Sendable {
    /// No account has signed in yet.
    case neverSignedIn
    /// The user signed out.
    case signedOut
    /// The session has ended, for this reason.
    case sessionEnded(SessionEndReason)
    /// The session belongs to another configuration (``SessionOrigin``), which the text names, and is kept for it.
    case belongsElsewhere(String)
    /// The session of the active account has ended, and the app or the user has not chosen another account yet; see
    /// ``SessionEndPolicy/ask``.
    case activeSessionEnded(AccountID, reason: SessionEndReason)
    /// The session of the active account belongs to another configuration, and the app or the user has not chosen another
    /// account yet.
    case activeBelongsElsewhere(AccountID, reason: String)
    /// A provider with only the three basic methods returned `nil`.
    case noAccount
    /// A provider with only the three basic methods may show a sign-in, so it is not tried silently.
    case mayShowSignIn
    /// The provider cannot show a sign-in here: it has neither a prompter nor a browser.
    case cannotShowSignIn
    /// The configuration lacks something, which the text names.
    case notConfigured(String)
    /// An override, which the text names, excludes the provider.
    case excluded(String)
    /// The provider failed, and the app treats the error as "no account".
    case unavailable(String)
    /// No provider of a nested chain has an account.
    case chain([ChainAttempt])
}

extension AbsenceReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .neverSignedIn: "nobody has signed in"
        case .signedOut: "the user signed out"
        case .sessionEnded(let detail): detail.clause("the session")
        case .belongsElsewhere(let reason): "the session cannot be used here: \(reason)"
        case .activeSessionEnded(let account, let reason): reason.clause("the session of \(account)")
        case .activeBelongsElsewhere(let account, let reason):
            "the session of \(account) cannot be used here: \(reason)"
        case .noAccount: "it has no account"
        case .mayShowSignIn: "it may show a sign-in, so it is asked only when nobody has an account"
        case .cannotShowSignIn: "it has no way to show a sign-in here"
        case .notConfigured(let gap): "not configured: \(gap)"
        case .excluded(let override): "excluded by \(override)"
        case .unavailable(let detail): "not available: \(detail)"
        case .chain(let attempts): attempts.summary
        }
    }
}

extension AbsenceReason {
    /// The reason of a provider, as that of the active account; `nil` where another account may take its place.
    func ofActive(_ account: AccountID) -> AbsenceReason? {
        switch self {
        case .sessionEnded(let reason): .activeSessionEnded(account, reason: reason)
        case .belongsElsewhere(let reason): .activeBelongsElsewhere(account, reason: reason)
        default: nil
        }
    }

    /// The error of a call that needs an account.
    package var error: any IdentityFailure {
        sessionError ?? gaps.map(NothingConfiguredError.init) ?? ClientError.notSignedIn(description)
    }

    /// The gaps, where no provider can be used because of them; `nil` where one can.
    private var gaps: String? {
        switch self {
        case .notConfigured(let gap): return gap
        case .chain(let attempts):
            var found: [String] = []
            for attempt in attempts {
                guard case .none(let reason) = attempt.outcome else { return nil }
                if case .excluded = reason { continue }
                guard let gap = reason.gaps else { return nil }
                let text = "\(attempt.provider): \(gap)"
                if !found.contains(text) { found.append(text) }
            }
            return found.isEmpty ? nil : found.joined(separator: "; ")
        default: return nil
        }
    }

    /// The error of a call that needs the active account, where that is the one without a session.
    package var sessionError: SessionError? {
        switch self {
        case .activeSessionEnded(let account, let reason): .ended(account, reason: reason)
        case .activeBelongsElsewhere(let account, let reason): .belongsElsewhere(account, reason: reason)
        default: nil
        }
    }
}
