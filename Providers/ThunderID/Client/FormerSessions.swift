import IdentityKit

/// Sessions that earlier versions stored under the client alone, so that those of one server took the place of another's.
/// Each is moved once, the first time that somebody asks for it at the server it belongs to.
final class FormerSessions: Sendable {
    private let former: ProviderSessions
    private let store: any TokenStore
    private let done = Locked<Set<AccountID>>([])
    private let flight = Coalescer<AccountID, Void>()

    init(clientName: String, origin: SessionOrigin, environment: IdentityEnvironment) {
        store = environment.store
        former = ProviderSessions(
            realm: "thunderid:" + clientName, origin: origin, store: environment.store, time: environment.time
        ) { _ in .refused(reason: "It is kept elsewhere now.") }
    }

    /// Moves what was stored for `account`, unless something is stored for it already.
    /// - Throws: ``TokenStoreError`` when that cannot be known.
    func move(to account: AccountID) async throws {
        guard !done.withLock({ $0.contains(account) }) else { return }
        try await flight.value(for: account) { [self] in
            do {
                try await moveOnce(to: account)
            } catch TokenStoreError.corrupt {
                // What nobody can read is no session.
            }
            _ = done.withLock { $0.insert(account) }
        }
    }

    private func moveOnce(to account: AccountID) async throws {
        let place = AccountID(account: account.account, realm: former.realm)
        guard try await store.record(for: .account(account)) == nil,
            try await former.storedCredential(of: place) != nil,
            let content = try await store.record(for: .account(place))?.content
        else { return }
        do {
            try await store.write(content, for: .account(account), replacing: 0)
        } catch TokenStoreError.conflict {
            // Another process was faster: what is there is newer.
        }
        try await former.end(place)
    }
}
