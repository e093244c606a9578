import Foundation
import IdentityKit

/// Handles each callback URL once in this process. A copy that arrives at the same time gets the same result, and so
/// does a copy within the next minute if `value(for:of:whenAbandoned:_:)` remembers the result. The operating system may
/// deliver a URL twice, and an app may pass it on from two of its functions.
package final class HandledCallbacks<Value: Sendable>: Sendable {
    private struct State: Sendable {
        /// The number of calls of ``HandledCallbacks/forget()``. If it rises while a callback is handled, the result of that
        /// callback is not remembered.
        var age = 0
        var results: [(callback: Data, handledAt: Date, result: Result<Value, any Error>)] = []
    }

    private let time: TimeSource
    private let keepsLatest: Bool
    private let limit: Int
    private let runs = Coalescer<Data, Value>()
    private let state = Locked(State())

    /// - Parameters:
    ///   - keepsLatest: whether a new value replaces the remembered values of other callbacks, for a caller that signs
    ///     in only one person at a time.
    ///   - limit: the largest number of results that are remembered.
    ///   - time: the clock.
    package init(keepsLatest: Bool = false, limit: Int = 100, time: TimeSource) {
        (self.keepsLatest, self.limit) = (keepsLatest, limit)
        self.time = time
    }

    /// Returns the result of `handle`, or the remembered result of an earlier call with the same URL. Values and
    /// definitive failures are remembered, except failures of the store. After a failure that is not remembered, the next
    /// copy of the callback is handled again.
    /// - Parameters:
    ///   - url: the callback.
    ///   - flow: the flow that the caller kept for the browser. Only a caller with the same flow gets a remembered result.
    ///     `nil` if the provider keeps the flows itself.
    ///   - abandonment: what happens when all callers are cancelled. Pass `.finish` for a callback that the system or a web
    ///     server delivered: its code can be used only once, and a copy of the callback may follow.
    ///   - handle: handles the callback.
    /// - Throws: what `handle` throws or has thrown, or `CancellationError`.
    package func value(
        for url: URL, of flow: PendingAuthorization? = nil,
        whenAbandoned abandonment: Coalescer<Data, Value>.Abandonment = .cancel,
        _ handle: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let callback = sha256(Data("\(flow?.codeVerifier.secret.reveal() ?? "") \(url.absoluteString)".utf8))
        return try await runs.value(for: callback, whenAbandoned: abandonment) { [self] in
            let (known, age) = known(callback)
            if let known { return try known.get() }
            let result: Result<Value, any Error>
            do {
                result = .success(try await handle())
            } catch {
                result = .failure(error)
            }
            keep(result, of: callback, since: age)
            return try result.get()
        }
    }

    /// Forgets all results, also those of running calls, because a sign-in or sign-out has made them obsolete.
    package func forget() {
        state.withLock { $0 = State(age: $0.age + 1) }
    }

    private func known(_ callback: Data) -> (result: Result<Value, any Error>?, age: Int) {
        let now = time.now
        return state.withLock { state in
            state.results.removeAll { !($0.handledAt...($0.handledAt + 60)).contains(now) }
            return (state.results.first { $0.callback == callback }?.result, state.age)
        }
    }

    private func keep(_ result: Result<Value, any Error>, of callback: Data, since age: Int) {
        if case .failure(let error) = result {
            guard let failure = error as? any IdentityFailure, failure.failureClass == .definitive,
                !(failure is TokenStoreError)
            else { return }
        }
        let now = time.now
        state.withLock { state in
            guard state.age == age else { return }
            if keepsLatest, case .success = result {
                state.results.removeAll { if case .success = $0.result { true } else { false } }
            }
            if state.results.count >= limit { state.results.removeFirst() }
            state.results.append((callback, now, result))
        }
    }
}
