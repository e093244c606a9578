import Foundation

/// The meaning of a write to the record of an account, for a store that keeps a trail of what happened to each account.
///
/// While it writes, a store reads the action from ``current``. A write with any other meaning has no action, for
/// example a write that adds a detail to the session.
public enum SessionAction: String, Sendable, CaseIterable {
    /// A session began, or a new session replaced the account's former one.
    case signIn = "sign_in"
    /// The session got new tokens, or an authorization for further resources was added or has ended.
    case refresh
    /// The session, or its authorization for further resources, needs a new sign-in. Its tokens are kept.
    case suspend
    /// The session ended without a sign-out, for example because the server refused its refresh token or the person
    /// withdrew the consent.
    case end
    case signOut = "sign_out"
    /// A session that nobody had used for some time, or the record of an ended session, was erased.
    case purge
    /// Everything that the store kept about the account was erased, except for the audit trail.
    case erase

    private static let ofTask = TaskLocal<SessionAction?>(wrappedValue: nil)

    /// The action of the current task's writes; `nil` for writes without an action.
    public static var current: SessionAction? { ofTask.get() }

    /// Runs `body`. While it runs, ``current`` is this action.
    package func whileWriting<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.ofTask.withValue(self, operation: body, isolation: isolation)
    }

    /// Runs `body`, which only prepares a later write that has an action. While `body` runs, ``current`` is `nil`.
    package static func whilePreparing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await ofTask.withValue(nil, operation: body, isolation: isolation)
    }
}

/// An entry of an account's audit trail: an action, its time, and the process that acted. An entry contains no secrets.
public struct AuditEntry: Sendable, Equatable {
    /// Number of the entry; later entries of a store have higher numbers.
    public let number: Int64
    /// Time of the action by the store's clock.
    public let date: Date
    package let account: AccountID
    public let action: SessionAction
    /// The generation that the action gave to the account's record.
    package let generation: UInt64
    /// Machine and process that acted, such as `web-3/4711`.
    package let place: String

    /// Makes an entry.
    /// - Parameters:
    ///   - number: the number of the entry; later entries of a store have higher numbers.
    ///   - date: the time of the action by the store's clock.
    ///   - account: the account that the action was for.
    ///   - action: the action.
    ///   - generation: the generation that the action gave to the account's record.
    ///   - place: the machine and process that acted, such as `web-3/4711`.
    public init(
        number: Int64, date: Date, account: AccountID, action: SessionAction, generation: UInt64, place: String
    ) {
        self.number = number
        self.date = date
        self.account = account
        self.action = action
        self.generation = generation
        self.place = place
    }
}

/// A store that keeps a trail of what happened to each account, without secrets.
public protocol AuditedTokenStore: TokenStore {
    /// The audit trail of `account`, the latest entry first.
    /// - Parameters:
    ///   - account: the account whose entries to return.
    ///   - number: only entries with a lower number are returned; `nil` to begin with the latest entry.
    ///   - limit: the largest number of entries.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/unsupported(detail:)`` when no
    ///   trail is kept.
    func auditTrail(of account: AccountID, before number: Int64?, limit: Int) async throws -> [AuditEntry]
}
