import Foundation

/// A sign-in page that the system shows, such as with `ASWebAuthenticationSession`.
@MainActor
package protocol WebPage: AnyObject, Sendable {
    /// Shows the page.
    /// - Returns: whether the page is shown. A page that is not shown never reports a result.
    func start() -> Bool

    func cancel()
}

package typealias WebPageResult = Result<URL, any Error>

/// Shows a sign-in page and passes on its first result: the response, a cancellation by the user or the task, or an
/// error.
package enum WebPageVisit {
    /// Shows a page and waits for its result.
    /// - Parameter makePage: makes the page, which reports its result by calling `end` on any thread. Only the first call
    ///   counts.
    /// - Throws: `CancellationError` when the task is cancelled, which closes the page,
    ///   ``WebAuthenticationError/notStarted`` when the page is not shown, otherwise the error of `makePage` or of the
    ///   page.
    @MainActor
    package static func run(
        _ makePage: @MainActor (_ end: @escaping @Sendable (WebPageResult) -> Void) throws -> any WebPage
    ) async throws -> URL {
        let visit = Visit()
        return try await withTaskCancellationHandler {
            // Retain the page here, because the system does not.
            let page = try makePage { visit.end(with: $0) }
            defer { withExtendedLifetime(page) {} }
            // Set the action before the page is shown, so that a cancellation at any time closes the page.
            visit.whenCancelled { page.cancel() }
            // Break a retain cycle: the visit retains the action, the action the page, and the page the visit.
            defer { visit.forget() }
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

/// Resumes the waiting caller exactly once, even if the result arrives before the caller waits.
private final class Visit: Sendable {
    private enum State: Sendable {
        case beginning
        case waiting(CheckedContinuation<URL, any Error>)
        /// The page ended before the caller waited.
        case ended(WebPageResult)
        case over
    }

    private let state = Locked(State.beginning)
    private let onCancel = Locked<(@MainActor @Sendable () -> Void)?>(nil)

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
        onCancel.withLock { $0 = action }
    }

    func forget() { _ = onCancel.exchange(nil) }

    func cancel() {
        // Take the action before `end` resumes the caller, because the caller then removes the action.
        let action = onCancel.exchange(nil)
        end(with: .failure(CancellationError()))
        if let action { Task { @MainActor in action() } }
    }
}
