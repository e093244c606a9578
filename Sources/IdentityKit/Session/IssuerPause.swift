import Foundation

/// An issuer's request to wait. One record per issuer, read together with a session and its note, keeps every account of the
/// store, in every process, from sending what it asked not to send.
struct IssuerPause: Codable {
    private(set) var pause: RefreshPause
    /// The account that was asked; `nil` when the request counts for all.
    private let account: String?

    /// A request to wait in the response to `account`.
    /// - Parameters:
    ///   - isForAll: whether the response said that the server is busy, whoever asks. The same request to a second account
    ///     during the first one's pause means that too.
    ///   - earlier: the request before.
    init(
        _ length: Duration, to account: AccountID, isForAll: Bool, policy: ReplayPolicy, at now: Date,
        after earlier: IssuerPause?
    ) {
        pause = RefreshPause(.askedToWait, AskedToWaitError(), length: length, policy: policy, at: now, after: nil)
        let isSecond = earlier.map { $0.pause.holds(at: now) && $0.account?.hasBytes(of: account.id) != true } ?? false
        self.account = isForAll || isSecond ? nil : account.id
    }

    /// The pause of all accounts.
    var ofAll: RefreshPause? { account == nil ? pause : nil }

    /// The cause that others are told. The server's own words were for one person.
    struct AskedToWaitError: IdentityFailure {
        var failureCode: String { "asked_to_wait" }
        var failureClass: FailureClass { .transient }
        var message: String { "The server asked to wait." }
    }

    // MARK: Storing

    /// The record of an issuer.
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
    /// Issuers that asked to wait, one record for each.
    static let pauses = StoreKey.Collection(rawValue: "pauses")
}
