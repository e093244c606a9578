/// Work to do when a session has ended locally, which means that it is erased from the store. An example is informing
/// the app. The work runs once, and does not wait until the backend is informed, because that may take seconds.
package final class LocalEnd: Sendable {
    private static let current = TaskLocal<LocalEnd?>(wrappedValue: nil)

    private let account: AccountID
    private let work: @Sendable () async throws -> Void
    private let task = Locked<Task<Void, any Error>?>(nil)

    init(of account: AccountID, _ work: @escaping @Sendable () async throws -> Void) {
        (self.account, self.work) = (account, work)
    }

    /// Runs `signOut` and waits for the work. The work starts as soon as `signOut` reports with `happen(of:)` that the
    /// session has ended locally, or else after `signOut` has returned.
    /// - Throws: what `signOut` or the work throws.
    func awaited(_ signOut: () async throws -> Void) async throws {
        try await Self.current.withValue(self) { try await signOut() }
        try await happen()
    }

    /// Reports that the session of `account` has ended locally, and waits for the work of the running sign-out. Does
    /// nothing outside of a sign-out of `account`. Errors of the work are thrown by the sign-out, not here.
    package static func happen(of account: AccountID) async {
        guard let current = current.get(), current.account == account else { return }
        try? await current.happen()
    }

    /// Starts the work unless it was started before, and waits for it even when the caller is cancelled, because the
    /// session has already ended.
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
    /// Signs `account` out, and calls `onceOver` as soon as the session has ended locally. If the provider does not
    /// report this local end, calls `onceOver` after the sign-out.
    func signOut(_ account: AccountID, onceOver: @escaping @Sendable () async throws -> Void) async throws {
        if let chain { return try await chain.end(account, onceOver: onceOver) }
        try await LocalEnd(of: account, onceOver).awaited { try await provider.signOut(account) }
    }
}
