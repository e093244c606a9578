import Foundation
import IdentityKit
import IdentityTerminal

/// Reading the stream on which a server sends messages of its own, in the 2025 versions of the Model Context Protocol.
extension MCPForwarder {
    /// Writes the server's own messages until the task is cancelled, the server offers no stream, the output fails, or
    /// an event is too large. If the stream ends for another reason, the next stream continues after the last event with an
    /// identifier, after a pause (``MCPStreamPause``), which is short again after every event.
    func listen(by clock: TimeSource) async {
        var reader = EventStreamReader(limit: MCPMessage.largestFromServer)
        var pause = MCPStreamPause()
        do {
            while true {
                var hasFailed = false
                do {
                    guard let body = try await ownStream(after: reader.lastID.flatMap(Self.header)) else { return }
                    for try await part in body {
                        for event in try reader.events(with: part) {
                            pause = MCPStreamPause()
                            try await passOwn(event)
                        }
                    }
                } catch let error
                    where error is OutputError || error is EventTooLargeError || error is CancellationError
                {
                    return
                } catch {
                    // The connection was lost, the server is overloaded or starts anew, or there is no token at the
                    // moment; try again.
                    hasFailed = true
                }
                try await clock.sleep(for: pause.next(namedByServer: reader.pause, afterFailure: hasFailed))
                reader = EventStreamReader(after: reader)
            }
        } catch {
            // The pause was cancelled, because the program ends or a new session begins.
        }
    }

    /// Writes a message of the server's own stream. Drops a response, which belongs to the stream of its request, and
    /// prints a note about a text that is not a message.
    /// - Throws: `OutputError`.
    private func passOwn(_ text: Data) async throws {
        guard let message = try? MCPMessage(parsing: text) else {
            return session.note("identity: the server has sent what is not a message of JSON-RPC 2.0.")
        }
        if case .response = message.kind { return }
        try await output.write(message.text)
    }

    /// Returns an event's identifier if a header field can hold it; otherwise `nil`.
    static func header(_ identifier: String) -> String? {
        MCPFields.isVisible(identifier) && identifier.utf8.count <= MCPFields.longestValue ? identifier : nil
    }
}
