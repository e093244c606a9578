/// What follows once a session is over here, such as telling the app. It happens once, and before the backend is told, which
/// may take seconds.
final class LocalEnd: Sendable {
    private let work: @Sendable () async throws -> Void
    private let task = Locked<Task<Void, any Error>?>(nil)

    init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

    /// Waits until it has happened, also when the caller is cancelled: the session is over.
    func happen() async throws {
        let task = task.withLock { task in
            let happening = task ?? Task { [work] in try await work() }
            task = happening
            return happening
        }
        try await task.value
    }
}

extension IdentityProviderChain.Link {
    /// Signs `account` out, and calls `onceOver` as soon as the session is over here. Of a provider that is no
    /// ``SessionBackedProvider`` that is known only afterwards.
    func signOut(_ account: AccountID, onceOver: @escaping @Sendable () async throws -> Void) async throws {
        if let chain { return try await chain.end(account, onceOver: onceOver) }
        let end = LocalEnd(onceOver)
        if let sessions {
            try await sessions.awaiting(end, of: account) { try await provider.signOut(account) }
        } else {
            try await provider.signOut(account)
        }
        try await end.happen()
    }
}
