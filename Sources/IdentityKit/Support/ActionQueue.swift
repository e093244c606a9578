/// Runs the actions of a view model one after another, so that no tap is lost.
///
/// An action that equals the last one joins it, so that a second tap does nothing more. Any other action waits for its
/// turn.
@MainActor
package final class ActionQueue<Action: Equatable & Sendable> {
    private struct Entry {
        let id: Int
        let action: Action
        let task: Task<Void, Never>
    }

    private var entries: [Entry] = []
    private var count = 0

    package nonisolated init() {}

    package var isBusy: Bool { !entries.isEmpty }

    /// Runs `body` when its turn has come, and returns when it has ended. Cancelling the first caller cancels the
    /// action.
    package func perform(_ action: Action, _ body: @escaping @MainActor () async -> Void) async {
        if let last = entries.last, last.action == action { return await last.task.value }
        let previous = entries.last?.task
        count += 1
        let id = count
        let task = Task {
            await previous?.value
            // Remove the action before its end is shown, so that the view can begin the next one.
            defer { entries.removeAll { $0.id == id } }
            if !Task.isCancelled { await body() }
        }
        entries.append(Entry(id: id, action: action, task: task))
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Cancels the running action and the waiting ones.
    package func cancel() {
        for entry in entries { entry.task.cancel() }
    }
}

extension Task where Failure == any Error {
    /// Runs `signOut` until the session has ended locally. The returned task does the rest, which informs the backend.
    /// - Throws: the error of `signOut` before that moment.
    package static func untilOver(
        _ signOut: @escaping @Sendable (_ onceOver: @escaping @Sendable () async -> Void) async throws -> Success
    ) async throws -> Task {
        let isOver = Locked(false)
        let (over, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { end.finish() }
            return try await signOut {
                isOver.withLock { $0 = true }
                end.finish()
            }
        }
        await withTaskCancellationHandler {
            for await _ in over {}
        } onCancel: {
            task.cancel()
        }
        if !isOver.withLock({ $0 }) { _ = try await task.value }
        return task
    }
}
