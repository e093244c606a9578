/// Work that follows once a session is over here, such as telling the app. It happens once, and before the backend is told, which
/// may take seconds.
package final class LocalEnd: Sendable {
    private static let current = TaskLocal<LocalEnd?>(wrappedValue: nil)

    private let account: AccountID
    private let work: @Sendable () async throws -> Void
    private let task = Locked<Task<Void, any Error>?>(nil)

    init(of account: AccountID, _ work: @escaping @Sendable () async throws -> Void) {
        (self.account, self.work) = (account, work)
    }

    /// Runs `signOut`, in which it happens as soon as whoever ends the session says so.
    func awaited(_ signOut: () async throws -> Void) async throws {
        try await Self.current.withValue(self) { try await signOut() }
        try await happen()
    }

    /// The session of `account` is over here. Who signs out throws the errors of what follows.
    package static func happen(of account: AccountID) async {
        guard let current = current.get(), current.account == account else { return }
        try? await current.happen()
    }

    /// Waits until it has happened, also when the caller is cancelled: the session is over.
    private func happen() async throws {
        let task = task.withLock { task in
            let happening = task ?? Task { [work] in try await work() }
            task = happening
            return happening
        }
        try await task.value
    }
}

extension IdentityProviderChain.Link {
    /// Signs `account` out, and calls `onceOver` as soon as the session is over here. Of a provider that does not say so that
    /// is known only afterwards.
    func signOut(_ account: AccountID, onceOver: @escaping @Sendable () async throws -> Void) async throws {
        if let chain { return try await chain.end(account, onceOver: onceOver) }
        try await LocalEnd(of: account, onceOver).awaited { try await provider.signOut(account) }
    }
}
