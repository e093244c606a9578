/// The calls that wait for the end of a view model's request, such as that of a task that was cancelled.
@MainActor
final class RequestEnd {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits as long as `isLoading` returns `true`, which is checked again after each ``signal()``.
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
