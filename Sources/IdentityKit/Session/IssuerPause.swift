import Foundation

/// An issuer's demand to wait before the next request. The store has one record for each issuer. The record is read
/// together with a session and its ``RefreshIntent``, so all processes that use the store observe the demand.
struct IssuerPause: Codable {
    private(set) var pause: RefreshPause
    /// The account whose request was answered with the demand; `nil` when the demand applies to all accounts.
    private let account: String?

    /// Makes the demand that a response to a request of `account` contained.
    /// - Parameters:
    ///   - isForAll: whether the response demanded the pause for all accounts. Even if not, the demand applies to all accounts
    ///     when `earlier` has not ended and was not for `account` alone, because the issuer then limits more than one account.
    ///   - earlier: the previous demand; `nil` for none.
    init(
        _ length: Duration, to account: AccountID, isForAll: Bool, policy: ReplayPolicy, at now: Date,
        after earlier: IssuerPause?
    ) {
        pause = RefreshPause(.askedToWait, AskedToWaitError(), length: length, policy: policy, at: now, after: nil)
        let isSecond = earlier.map { $0.pause.holds(at: now) && $0.account?.hasBytes(of: account.id) != true } ?? false
        self.account = isForAll || isSecond ? nil : account.id
    }

    /// The pause, if it applies to all accounts.
    var ofAll: RefreshPause? { account == nil ? pause : nil }

    /// The error for other accounts, without the server's own words, which were meant for one person.
    struct AskedToWaitError: StatedFailure {
        var facts: FailureFacts { .transient("asked_to_wait", "The server asked to wait.") }
    }

    // MARK: Storing

    /// An issuer's record as read from the store, with the pause converted to this machine's clock. `value` is `nil`
    /// without a record or for an unreadable one.
    struct Entry {
        let generation: UInt64
        let value: IssuerPause?

        init(_ record: StoreRecord?, at now: Date) {
            generation = record?.generation ?? 0
            var value = record?.content.flatMap { try? JSONDecoder().decode(IssuerPause.self, from: $0) }
            if let pause = value?.pause, let age = record?.age {
                value?.pause = pause.shifted(by: now.timeIntervalSince(pause.since) - age.timeInterval)
            }
            self.value = value
        }
    }

    static func key(_ origin: SessionOrigin) -> StoreKey {
        StoreKey(.pauses, origin.backend)
    }
}

extension StoreKey.Collection {
    /// Demands of issuers to wait, one record for each issuer.
    static let pauses = StoreKey.Collection(rawValue: "pauses")
}
