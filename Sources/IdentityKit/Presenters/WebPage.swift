import Foundation

/// A sign-in page that the system shows: `ASWebAuthenticationSession`, or a test's.
@MainActor
package protocol WebPage: AnyObject, Sendable {
    /// Shows the page.
    /// - Returns: whether that worked. If not, nothing more is heard of it.
    func start() -> Bool

    /// Takes the page away.
    func cancel()
}

/// What a page ended with. It may be told on any thread.
package typealias WebPageResult = Result<URL, any Error>

/// The life of one sign-in page: shown once and ended once, whether it comes back, the person closes it, the task is
/// cancelled or it never appears.
package enum WebPageVisit {
    /// Shows a page and waits for its end.
    /// - Parameter makePage: makes the page, which tells the end to the given function, at most once that counts.
    /// - Throws: `CancellationError` when the task is cancelled, in which case the page is taken away;
    ///   ``WebAuthenticationError/notStarted``; what the page ended with.
    @MainActor
    package static func run(
        _ makePage: @MainActor (_ end: @escaping @Sendable (WebPageResult) -> Void) throws -> any WebPage
    ) async throws -> URL {
        let visit = Visit()
        return try await withTaskCancellationHandler {
            // The page must live as long as it is shown: the system does not keep it.
            let page = try makePage { visit.end(with: $0) }
            defer { withExtendedLifetime(page) {} }
            // Before the page is shown, so that a cancellation at any moment finds what to take away.
            visit.whenCancelled { page.cancel() }
            return try await withCheckedThrowingContinuation { continuation in
                visit.begin(continuation)
                guard !visit.isOver else { return }
                if !page.start() { visit.end(with: .failure(WebAuthenticationError.notStarted)) }
            }
        } onCancel: {
            visit.cancel()
        }
    }
}

/// Resumes the waiting caller exactly once, also when the end comes before the wait.
private final class Visit: Sendable {
    private enum State: Sendable {
        case beginning
        case waiting(CheckedContinuation<URL, any Error>)
        /// It ended before anybody waited.
        case ended(WebPageResult)
        case over
    }

    private let state = Locked(State.beginning)
    private let takeAway = Locked<(@MainActor @Sendable () -> Void)?>(nil)

    var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    func begin(_ continuation: CheckedContinuation<URL, any Error>) {
        let early: WebPageResult? = state.withLock { state in
            guard case .ended(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .over
            return result
        }
        if let early { continuation.resume(with: early) }
    }

    func end(with result: WebPageResult) {
        let continuation: CheckedContinuation<URL, any Error>? = state.withLock { state in
            switch state {
            case .beginning:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .ended, .over:
                return nil
            }
        }
        continuation?.resume(with: result)
    }

    func whenCancelled(_ action: @escaping @MainActor @Sendable () -> Void) {
        takeAway.withLock { $0 = action }
    }

    func cancel() {
        end(with: .failure(CancellationError()))
        let action = takeAway.withLock { action in
            defer { action = nil }
            return action
        }
        if let action { Task { @MainActor in action() } }
    }
}
