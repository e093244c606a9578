/// Takes over what another library has kept when a client looks for its session first: once, for all who look meanwhile.
package final class ImportOnce: Sendable {
    /// Reads what the library has kept; `nil` for nothing.
    package typealias Find = @Sendable () throws -> ExternalSession?

    private struct State: Sendable {
        var isDone = false
        /// The code of the failure that observers know.
        var toldCode: String?
    }

    private let source: String
    private let sessions: ProviderSessions
    private let find: Find
    private let take: @Sendable (ExternalSession) async throws -> SessionImportResult
    private let state = Locked(State())
    private let runs = Coalescer<Bool, Void>()

    /// - Parameters:
    ///   - source: the library, for logs.
    ///   - sessions: the sessions of the provider.
    ///   - find: reads what the library has kept.
    ///   - take: takes it over.
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

    /// Completes the takeover, unless that was done. A failure that stays is told to the observers, and what was kept stays
    /// where it is.
    /// - Parameter isSignedIn: whether there is a session here, asked when the takeover is not possible now.
    /// - Throws: a transient failure, when there is no session here: that is no sign-out. The next look tries again.
    package func finish(unless isSignedIn: () async throws -> Bool) async throws {
        if isDone { return }
        do {
            try await runs.value(for: true) { try await self.run() }
        } catch {
            guard try await isSignedIn() else { throw error }
        }
    }

    /// The session that the library has kept, for a synchronous interface; `nil` once that was taken over, or where it
    /// cannot be read.
    package func pending() -> ExternalSession? {
        guard !isDone else { return nil }
        do {
            if let kept = try find() { return kept }
        } catch {
            // The takeover itself tells of it.
            return nil
        }
        state.withLock { $0.isDone = true }
        return nil
    }

    private func run() async throws {
        if isDone { return }
        do {
            if let kept = try find() { _ = try await take(kept) }
        } catch {
            let code = (error as? any IdentityFailure)?.failureCode ?? "unknown_error"
            let isNews = state.withLock { state in
                defer { state.toldCode = code }
                return state.toldCode != code
            }
            if isNews { sessions.emit(.failed(error), of: source, nil) }
            if error.identityFailureClass == .transient { throw error }
        }
        state.withLock { $0.isDone = true }
    }
}
