/// Suspends calls until the running request of a view model has ended. For example, a new task waits until the request of a
/// cancelled task has ended.
@MainActor
final class RequestEnd {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits until `isLoading` returns `false`. Calls `isLoading` at once, and again after each ``signal()``.
    func wait(while isLoading: () -> Bool) async {
        while isLoading() { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Resumes the waiting calls.
    func signal() {
        let calls = waiting
        waiting = []
        for call in calls { call.resume() }
    }
}
