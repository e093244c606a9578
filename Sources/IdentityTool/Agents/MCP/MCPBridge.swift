import Foundation
import IdentityKit
import IdentityTerminal

/// Reads an MCP client's messages from standard input, and passes them to a forwarder, which sends them to the server.
struct MCPBridge: Sendable {
    let input: TerminalInput
    let forwarder: MCPForwarder
    let clock: TimeSource

    private let waiting = Locked<[JSONValue: Task<Void, Never>]>([:])
    private let failure = Locked<OutputError?>(nil)
    private let listening = Locked<Task<Void, Never>?>(nil)

    init(_ input: TerminalInput, _ forwarder: MCPForwarder, clock: TimeSource) {
        (self.input, self.forwarder, self.clock) = (input, forwarder, clock)
    }

    private static let mostWaiting = 256
    /// The longest time to wait for outstanding responses after the input has ended.
    private static let longestEnd = Duration.seconds(30)

    /// Passes messages on until the input ends. Then waits for outstanding responses, for 30 seconds at most, and ends the
    /// session at the server.
    /// - Throws: `OutputError`, `CancellationError`, or the error of reading.
    func run() async throws {
        defer { leave() }
        try await withTaskCancellationHandler {
            while let message = try await next() {
                try await take(message)
                if let error = failure.withLock({ $0 }) { throw error }
            }
            let alarm = Task {
                try await clock.sleep(for: Self.longestEnd)
                leave()
            }
            for task in waiting.withLock({ Array($0.values) }) { await task.value }
            alarm.cancel()
            await stopListening()
        } onCancel: {
            leave()
        }
        await forwarder.close()
        if let error = failure.withLock({ $0 }) { throw error }
        try Task.checkCancellation()
    }

    /// Cancels the requests that still wait for a response, and the task that listens to the server's own messages.
    private func leave() {
        for task in waiting.withLock({ Array($0.values) }) { task.cancel() }
        listening.withLock { $0 }?.cancel()
    }

    /// Starts listening to the server's own messages, in place of the task that listens in the former session.
    private func listen() {
        let former = listening.withLock { $0 }
        former?.cancel()
        let task = Task { [forwarder, clock] in
            await former?.value
            await forwarder.listen(by: clock)
        }
        listening.withLock { $0 = task }
    }

    private func stopListening() async {
        let task = listening.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Returns the next message; `nil` at the end of the input. Answers a line that is not a message with an error.
    private func next() async throws -> MCPMessage? {
        while true {
            do {
                guard let line = try await input.line(upTo: MCPMessage.largestLine) else { return nil }
                if line.allSatisfy(\.isWhitespace) { continue }
                return try MCPMessage(parsing: Data(line.utf8))
            } catch let error as MCPError {
                try await forwarder.write(error, to: nil)
            } catch is LineTooLongError {
                try await forwarder.write(.tooLong, to: nil)
                try await input.skipLine()
            }
        }
    }

    private func take(_ message: MCPMessage) async throws {
        switch message.kind {
        case .request(let id) where message.method == MCPFields.beginning:
            // Wait for the response, which begins the session that later messages need.
            try await forwarder.answer(message, id: id)
        case .request(let id): try await start(message, id: id)
        case .notification where message.method == "notifications/cancelled":
            if !forwarder.cancelsByLeaving { try await forwarder.deliver(message) }
            guard let id = message.content["params"]?["requestId"] else { return }
            waiting.withLock { $0[id] }?.cancel()
        case .notification, .response:
            try await forwarder.deliver(message)
            if message.method == "notifications/initialized" { listen() }
        }
    }

    private func start(_ message: MCPMessage, id: JSONValue) async throws {
        let hasStarted = waiting.withLock { waiting in
            guard waiting[id] == nil, waiting.count < Self.mostWaiting else { return false }
            waiting[id] = Task {
                do {
                    try await forwarder.answer(message, id: id)
                } catch let error as OutputError {
                    failure.withLock { $0 = error }
                } catch {
                    // A cancelled request gets no response.
                }
                self.waiting.withLock { $0[id] = nil }
            }
            return true
        }
        if !hasStarted { try await forwarder.write(.notAccepted, to: id) }
    }
}
