import Foundation

/// An issuer's demand to wait before the next request. One record per issuer, read together with a session and its
/// note, makes all processes of the store observe the demand.
struct IssuerPause: Codable {
    private(set) var pause: RefreshPause
    /// The account whose request was answered with the demand; `nil` when the demand applies to all accounts.
    private let account: String?

    /// Records the demand in a response to `account`.
    /// - Parameters:
    ///   - isForAll: whether the response said that the server is busy for everybody. The same demand to a second
    ///     account during the pause of the first one means that too.
    ///   - earlier: the previous demand.
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
    struct AskedToWaitError: IdentityFailure {
        var failureCode: String { "asked_to_wait" }
        var failureClass: FailureClass { .transient }
        var message: String { "The server asked to wait." }
    }

    // MARK: Storing

    /// The record of an issuer with its generation.
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
