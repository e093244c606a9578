/// Imports the session that another library has stored, when the client is first asked for a session. Concurrent callers
/// share one import.
package final class ImportOnce: Sendable {
    /// Reads the session that the library has stored; `nil` for none.
    package typealias Find = @Sendable () throws -> ExternalSession?

    private struct State: Sendable {
        var isDone = false
        /// Code of the last failure that was reported to observers.
        var toldCode: String?
    }

    private let source: String
    private let sessions: ProviderSessions
    private let find: Find
    private let take: @Sendable (ExternalSession) async throws -> SessionImportResult
    private let state = Locked(State())
    private let runs = Coalescer<Bool, Void>()

    /// Prepares an import.
    /// - Parameters:
    ///   - source: the name of the library, for logs.
    ///   - sessions: the sessions of the provider.
    ///   - find: reads the session that the library has stored.
    ///   - take: imports the session that `find` returned.
    package init(
        of source: String, for sessions: ProviderSessions, find: @escaping Find,
        take: @escaping @Sendable (ExternalSession) async throws -> SessionImportResult
    ) {
        self.source = source
        self.sessions = sessions
        self.find = find
        self.take = take
    }

    package var isDone: Bool { state.withLock { $0.isDone } }

    /// Imports the session, unless the import is done. A failure is reported to the observers, but not twice in a row
    /// with the same code.
    ///
    /// After a lasting failure, the import counts as done, and the library's copy stays. After a transient failure or a
    /// failure of the store that should receive the session, the next call tries again.
    /// - Parameter isSignedIn: returns whether the client has a session in the store. Called only after a failure that makes
    ///   the next call try again, or when the task is cancelled.
    /// - Throws: an error of `isSignedIn`; if `isSignedIn` returns `false`, the failure that makes the next call try again, or
    ///   `CancellationError`. The error keeps the caller from regarding the person as signed out.
    package func finish(unless isSignedIn: () async throws -> Bool) async throws {
        if isDone { return }
        do {
            try await runs.value(for: true) { try await self.run() }
        } catch {
            guard try await isSignedIn() else { throw error }
        }
    }

    /// The library's session, for a synchronous interface. `nil` once the import is done, when the library has stored no
    /// session, or when its session cannot be read.
    package func pending() -> ExternalSession? {
        guard !isDone else { return nil }
        do {
            if let kept = try find() { return kept }
        } catch {
            // The next call of `finish(unless:)` reports the error.
            return nil
        }
        state.withLock { $0.isDone = true }
        return nil
    }

    private func run() async throws {
        if isDone { return }
        var isFound = false
        do {
            if let kept = try find() {
                isFound = true
                _ = try await take(kept)
            }
        } catch {
            let code = (error as? any IdentityFailure)?.failureCode ?? "unknown_error"
            let isNews = state.withLock { state in
                defer { state.toldCode = code }
                return state.toldCode != code
            }
            if isNews { sessions.emit(.failed(error), of: source, nil) }
            if error.identityFailureClass == .transient || isFound && Self.isAboutStore(error) { throw error }
        }
        state.withLock { $0.isDone = true }
    }

    /// Whether the store failed, and a later attempt may succeed. Tokens that are too large for the store stay too large.
    private static func isAboutStore(_ error: any Error) -> Bool {
        if case TokenStoreError.tooLarge = error { return false }
        return error is TokenStoreError
    }
}
