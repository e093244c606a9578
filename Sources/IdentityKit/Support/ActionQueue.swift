/// Runs the actions of a view model one after another, so that no tap is lost.
///
/// An action that equals the last queued action joins it instead of running again, so a second tap has no further
/// effect. Any other action waits until the earlier actions have ended.
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

    /// Runs `body` after the earlier actions, and returns when it has ended. If the last queued action equals `action` and
    /// is not cancelled, joins that action: waits until it has ended, and does not run `body`.
    ///
    /// Cancelling the caller whose `body` was queued cancels the action. Cancelling a caller that joined has no effect.
    package func perform(_ action: Action, _ body: @escaping @MainActor () async -> Void) async {
        if let last = entries.last, last.action == action, !last.task.isCancelled { return await last.task.value }
        let previous = entries.last?.task
        count += 1
        let id = count
        let task = Task {
            await previous?.value
            // Remove the entry before `perform` returns, so that the same action can run again instead of joining it.
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
    /// Starts `signOut`, and returns when `signOut` calls `onceOver`, because the session has then ended locally. If
    /// `signOut` ends without that call, returns at its end.
    /// - Returns: the task of `signOut`, which goes on to inform the backend.
    /// - Throws: the error of `signOut` if it fails before it calls `onceOver`.
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
