import Foundation

/// Passes the parts of a response's body from the thread that receives them to the tasks that read them. Each part goes
/// to only one task.
final class ArrivingBody: Sendable {
    private struct State: Sendable {
        var data = Data()
        var isPaused = false
        var end: Result<Void, any Error>?
        var readers: [CheckedContinuation<Void, Never>] = []
    }

    /// Receiving pauses when more than this number of bytes is unread.
    private static let window = 1 << 18

    private let state = Locked(State())

    /// Adds a part of the body, and wakes the tasks that wait for one.
    /// - Returns: whether to pause receiving until ``next(goOn:)`` calls `goOn`; `false` when receiving is paused
    ///   already.
    func append(_ part: Data) -> Bool {
        change { state in
            state.data.append(part)
            guard state.data.count > Self.window, !state.isPaused else { return false }
            state.isPaused = true
            return true
        }
    }

    /// Ends the body, unless it has ended already.
    func end(_ result: Result<Void, any Error>) {
        change { state in
            if state.end == nil { state.end = result }
        }
    }

    /// Waits for bytes of the body, and returns all that are unread; `nil` at the end.
    /// - Parameter goOn: resumes receiving. Called only if receiving was paused.
    /// - Throws: the error with which ``end(_:)`` ended the body.
    func next(goOn: () -> Void) async throws -> Data? {
        while true {
            let (part, wasPaused, end) = state.withLock { state in
                defer { (state.data, state.isPaused) = (Data(), false) }
                return (state.data, state.isPaused, state.end)
            }
            if wasPaused { goOn() }
            if !part.isEmpty { return part }
            if let end {
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let hasNews = state.withLock { state in
                    guard state.data.isEmpty, state.end == nil else { return true }
                    state.readers.append(continuation)
                    return false
                }
                if hasNews { continuation.resume() }
            }
        }
    }

    /// Applies a change, and then wakes all waiting readers outside of the lock.
    private func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, readers) = state.withLock { state in
            defer { state.readers = [] }
            return (body(&state), state.readers)
        }
        for reader in readers { reader.resume() }
        return value
    }
}
