import IdentityKit

/// Holds responses until a test releases them. A test can thus force an order of events that occurs only by chance in a
/// real network.
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
        var responses: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    public init() {}

    /// Releases the held responses and all later ones.
    public func open() {
        let responses = state.withLock { state in
            state.isOpen = true
            defer { state.responses = [] }
            return state.responses
        }
        for response in responses { response.resume() }
    }

    /// Waits until a response reaches the gate; returns at once if a response reached the gate before. When this method
    /// returns, the server has acted on the request, but the client gets no response until the gate opens.
    public func waitForAnswer() async {
        await withCheckedContinuation { watcher in
            let isHere = state.withLock { state in
                if state.held == 0 { state.watchers.append(watcher) }
                return state.held > 0
            }
            if isHere { watcher.resume() }
        }
    }

    func hold() async {
        await withCheckedContinuation { response in
            let (isOpen, watchers) = state.withLock { state in
                state.held += 1
                if !state.isOpen { state.responses.append(response) }
                defer { state.watchers = [] }
                return (state.isOpen, state.watchers)
            }
            for watcher in watchers { watcher.resume() }
            if isOpen { response.resume() }
        }
    }
}
