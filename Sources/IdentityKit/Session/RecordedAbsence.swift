import Foundation

/// That a realm has no session: what the index of a realm says in place of its newest account, so that a look into a big
/// store does not read the sessions of all other realms each time.
///
/// It is checked like the account: it counts only while the records that it names are the same. A sign-in writes the index
/// before and after its session, and the account of a sign-in that was cut short in between is among those records.
struct RecordedAbsence: Codable {
    /// A smaller store is read as a whole, which is quick enough and writes nothing.
    static let smallestListing = 64

    struct Witness: Codable {
        let account: AccountID
        /// The generation of its record; zero where there was none.
        let generation: UInt64
    }

    /// The account whose record gives the reason; `nil` where no account has signed in.
    let reason: AccountID?
    let witnesses: [Witness]

    private enum CodingKeys: String, CodingKey {
        case reason = "absentBecauseOf"
        case witnesses
    }

    init(reason: AccountID?, witnesses: [Witness]) {
        (self.reason, self.witnesses) = (reason, witnesses)
    }

    /// The absence in `record`; `nil` where it holds something else.
    init?(_ record: StoreRecord?) {
        guard let content = record?.content,
            let absence = try? JSONDecoder.decodeForeign(RecordedAbsence.self, from: content)
        else { return nil }
        self = absence
    }

    /// Whether the records are the same, read without suspension.
    func stands(in store: any ImmediateTokenStore) -> Bool {
        witnesses.allSatisfy { witness in
            guard let record = try? store.immediateRecord(for: .account(witness.account)) else { return false }
            return record?.generation ?? 0 == witness.generation
        }
    }
}

extension SessionRecords {
    /// What `absence` says; `nil` when a record has changed since.
    func lookup(of absence: RecordedAbsence) async throws -> AccountLookup? {
        for witness in absence.witnesses {
            let record = try await store.record(for: .account(witness.account))
            guard record?.generation ?? 0 == witness.generation else { return nil }
        }
        guard let reason = absence.reason else { return AccountLookup.none(.neverSignedIn) }
        guard reason.realm.hasBytes(of: realm), case .none(let reason) = try await lookUp(reason).lookup else {
            return nil
        }
        return AccountLookup.none(reason)
    }

    /// The index for a realm without a session; `nil` where the store is small.
    /// - Parameter named: the account that the index named before.
    func absence(in listing: Listed, besides named: AccountID?) async throws -> Data? {
        guard listing.count >= RecordedAbsence.smallestListing else { return nil }
        var witnesses: [RecordedAbsence.Witness] = []
        for account in [listing.absent, named].compactMap(\.self) {
            let record = try await store.record(for: .account(account))
            // It has signed in since the listing.
            if let record, case .live = try state(of: record) { return nil }
            witnesses.append(.init(account: account, generation: record?.generation ?? 0))
        }
        return try JSONEncoder().encode(RecordedAbsence(reason: listing.absent, witnesses: witnesses))
    }
}
