import Foundation

/// A lease in the form of a note with a deadline in the Keychain. The item's tag identifies the owner, so that a holder
/// can remove only its own note.
final class KeychainLease: StoreLease {
    private struct Note: Codable {
        let deadline: Duration
    }

    private let key: StoreKey
    private let store: KeychainTokenStore
    private let name: KeychainName
    private let owner = Data(UUID().uuidString.utf8)
    let endsAt: ContinuousClock.Instant?

    /// Claims the lease; `nil` while the note of another holder is valid.
    init?(on key: StoreKey, in store: KeychainTokenStore, for duration: Duration) throws {
        self.key = key
        self.store = store
        name = KeychainName(service: "\(store.service).leases", account: store.name(of: key).account)
        let now = store.time.bootTime
        endsAt = .now + duration
        let item = KeychainItem(tag: owner, value: try JSONEncoder().encode(Note(deadline: now + duration)))
        if try store.vault.add(item, as: name) { return }
        guard let other = try store.vault.item(name) else {
            // The other holder has just released the lease.
            guard try store.vault.add(item, as: name) else { return nil }
            return
        }
        // An unreadable note counts as no note.
        let note = try? JSONDecoder().decode(Note.self, from: other.value)
        if let note, note.deadline.isAhead(of: now, byAtMost: duration) { return nil }
        guard try store.vault.update(name, tagged: other.tag, to: item) else { return nil }
    }

    deinit { giveBack() }

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        guard try store.vault.item(name)?.tag == owner else { throw try store.conflict(key) }
        return try await store.write(content, for: key, replacing: generation)
    }

    func release() async { giveBack() }

    private func giveBack() {
        // If the note cannot be removed, the lease ends with its deadline.
        try? store.vault.delete(name, tagged: owner)
    }
}
