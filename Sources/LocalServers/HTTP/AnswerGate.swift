import IdentityKit

/// Keeps answers back until a test lets them go, so that things happen in an order that a network can produce.
///
/// ```swift
/// let gate = AnswerGate()
/// server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
/// async let refreshed = client.accessToken()
/// await gate.waitForAnswer()  // The server has acted, and the client does not know it yet.
/// gate.open()
/// ```
public final class AnswerGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var held = 0
        var answers: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// A closed gate.
    public init() {}

    /// Lets go what is held, and everything that comes later.
    public func open() {
        let answers = state.withLock { state in
            state.isOpen = true
            defer { state.answers = [] }
            return state.answers
        }
        for answer in answers { answer.resume() }
    }

    /// Returns once an answer has come to the gate: the server has acted, and the client does not know.
    public func waitForAnswer() async {
        await withCheckedContinuation { watcher in
            let isHere = state.withLock { state in
                if state.held == 0 { state.watchers.append(watcher) }
                return state.held > 0
            }
            if isHere { watcher.resume() }
        }
    }

    /// Waits at the gate with an answer.
    func hold() async {
        await withCheckedContinuation { answer in
            let (isOpen, watchers) = state.withLock { state in
                state.held += 1
                if !state.isOpen { state.answers.append(answer) }
                defer { state.watchers = [] }
                return (state.isOpen, state.watchers)
            }
            for watcher in watchers { watcher.resume() }
            if isOpen { answer.resume() }
        }
    }
}
