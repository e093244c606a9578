import Foundation
import IdentityKit
import IdentityTerminal

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends a client's messages to a server over HTTP with the tokens of one account, and writes the server's messages to
/// standard output.
final class MCPForwarder: Sendable {
    private let server: MCPServer
    private let account: AccountID
    let session: ToolSession
    let output: MCPOutput
    /// A transport with a long timeout, because a tool may work for minutes.
    private let patient: any HTTPTransport
    private let quick: any HTTPTransport
    /// A transport for the stream of the server's own messages, which may stay open for a day.
    private let lasting: any HTTPTransport
    private let fields = Locked(MCPFields())

    /// The longest time to wait for the head of a response. If the server ends the stream of a response early and continues it
    /// with further streams, also the longest time from the request to the end of the last one.
    private static let patience = Duration.seconds(900)

    init(to server: MCPServer, as account: AccountID, in session: ToolSession, _ verbosity: VerboseOption) {
        (self.server, self.account, self.session) = (server, account, session)
        output = MCPOutput(terminal: session.call.terminal)
        func transport(_ deadline: Duration, _ size: Int = MCPMessage.largestFromServer) -> any HTTPTransport {
            let transport = DefaultTransport.make(deadline: deadline, maximumResponseSize: size)
            return verbosity.watching(session.client.trusting(transport, as: account), in: session.call)
        }
        (patient, quick) = (transport(Self.patience), transport(.seconds(10)))
        lasting = transport(.seconds(86_400), 1 << 30)
    }

    /// Whether closing the response is enough to cancel a request. After `initialize`, the server also needs the
    /// client's notification.
    var cancelsByLeaving: Bool { !fields.withLock { $0.hasInitialized } }

    /// Sends a request, and writes the server's messages up to the response. Writes an error in place of a response
    /// that does not arrive. A request that only reads is sent once more after an error of the transport, or after an
    /// HTTP response that ended without the response to the request.
    /// - Throws: `OutputError`, or `CancellationError`.
    func answer(_ request: MCPMessage, id: JSONValue) async throws {
        var mayRepeat = request.onlyReads
        while true {
            do {
                return try await exchange(request, id: id)
            } catch let error as OutputError {
                throw error
            } catch {
                try Task.checkCancellation()
                if mayRepeat, error.mayBeRepeated {
                    mayRepeat = false
                    continue
                }
                return try await write(await failure(error), to: id)
            }
        }
    }

    /// Sends a notification or a response. Prints a failure to standard error. A message that fails with
    /// ``MCPError/notForHeader`` is not sent, and nothing is printed.
    /// - Throws: `CancellationError`.
    func deliver(_ message: MCPMessage) async throws {
        do {
            let status = try await send(message, with: quick).head.statusCode
            guard !(200..<300).contains(status) else { return }
            session.note("identity: the server refused a notification or a response with the status \(status).")
        } catch {
            try Task.checkCancellation()
            if case .failed(let text) = await failure(error) { session.note("identity: \(text)") }
        }
    }

    /// Writes `error` as the response to a request.
    /// - Parameter id: the request's identifier; `nil` if it could not be read, which the response states as `null`.
    /// - Throws: `OutputError`.
    func write(_ error: MCPError, to id: JSONValue?) async throws { try await output.write(error.response(to: id)) }

    /// Asks the server to end the session, if there is one. Ignores a failure.
    func close() async {
        guard fields.withLock({ $0.session }) != nil else { return }
        _ = try? await send(nil, as: "DELETE", with: quick)
    }

    /// Opens the stream of the server's own messages, or continues a stream.
    /// - Parameter event: the identifier of the last event of a stream, after which the server continues; `nil` for a new
    ///   stream.
    /// - Returns: `nil` if the protocol version has no such stream, or if the server does not respond with one.
    /// - Throws: ``MCPError/failed(_:)`` for a temporary status (409, 429, and 5xx except 501), or what the session or
    ///   the transport throws.
    func ownStream(after event: String?) async throws -> HTTPStream.Body? {
        guard fields.withLock({ $0.mayHaveStream }) else { return nil }
        let response = try await send(nil, as: "GET", after: event, with: lasting)
        let status = response.head.statusCode
        // Servers refuse a second stream with 409, also while they have not noticed yet that the first one was lost.
        guard ![409, 429].contains(status), status < 500 || status == 501 else {
            throw MCPError.failed("The server returned the status \(status).")
        }
        return status == 200 && response.head.isEventStream ? response.body : nil
    }

    // MARK: HTTP

    /// Sends an HTTP request with a token of the account. After a response with the status 401, sends the request again, with a
    /// new proof for the same token (RFC 9449) or with a new token. Sends it again twice at most, and only once after a new
    /// token.
    /// - Parameters:
    ///   - message: the message to send; `nil` to end the session, or to open the stream of the server's own messages.
    ///   - method: the HTTP method: `POST` for a message, `DELETE` to end the session, `GET` to open the stream.
    ///   - event: the identifier of the last event that was read from an earlier stream; `nil` for none.
    ///   - transport: the transport, which decides how long to wait.
    /// - Throws: `MCPError.notForHeader`, or what the session or the transport throws.
    private func send(
        _ message: MCPMessage?, as method: String = "POST", after event: String? = nil,
        with transport: any HTTPTransport
    ) async throws -> HTTPStream {
        var request = URLRequest(url: server.address)
        request.httpMethod = method
        request.httpBody = message?.text
        let isForStream = method == "GET"
        if !isForStream { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        request.setValue(
            isForStream ? "text/event-stream" : "application/json, text/event-stream", forHTTPHeaderField: "Accept")
        if let event { request.setValue(event, forHTTPHeaderField: "Last-Event-ID") }
        let known = fields.withLock { $0 }
        for (name, value) in try message.map(known.fields) ?? known.fieldsOfSession {
            request.setValue(value, forHTTPHeaderField: name)
        }
        // Use a new connection for a message that must not be sent twice. The server may just be closing an old one, and
        // then nothing shows whether the server has read the message.
        if message?.onlyReads == false { request.needsOwnConnection() }
        request = try await session.client.authorize(request, as: account)
        var response = try await transport.stream(for: request)
        for _ in 1...2 where response.head.statusCode == 401 {
            let again = try await session.client.reauthorize(request, after: response.head, as: account)
            guard let again else { break }
            let token = request.value(forHTTPHeaderField: "Authorization")
            request = again
            response = try await transport.stream(for: request)
            if request.value(forHTTPHeaderField: "Authorization") != token { break }
        }
        return response
    }

    private func exchange(_ request: MCPMessage, id: JSONValue) async throws {
        let deadline = Deadline(Self.patience, on: session.call.context.clock)
        let response = try await send(request, with: patient)
        let head = response.head
        guard (200..<300).contains(head.statusCode) else { throw try await refusal(response) }
        guard head.isEventStream else {
            let body = try await response.body.all(upTo: MCPMessage.largestFromServer)
            guard try await pass(body, from: head, to: request, id: id) else { throw MCPError.broken }
            return
        }
        let isLast: @Sendable (Data) async throws -> Bool = { [self] event in
            try await pass(event, from: head, to: request, id: id)
        }
        var reader = EventStreamReader(limit: MCPMessage.largestFromServer)
        guard let end = try await read(response.body, with: &reader, upTo: isLast) else { return }
        guard reader.lastID != nil, fields.withLock({ $0.mayHaveStream }) else { throw end }
        try await deadline.run(orThrow: end) { [self, reader] in
            try await readOn(after: reader, ended: end, before: deadline, upTo: isLast)
        }
    }

    /// Reads a stream up to the event for which `isLast` returns `true`.
    /// - Returns: `nil` after that event; otherwise the error that describes the end of the stream.
    /// - Throws: what `isLast` throws, or an error of reading other than a lost connection.
    private func read(
        _ body: HTTPStream.Body, with reader: inout EventStreamReader, upTo isLast: (Data) async throws -> Bool
    ) async throws -> (any Error)? {
        do {
            for try await part in body {
                for event in try reader.events(with: part) where try await isLast(event) { return nil }
            }
        } catch let error as TransportError {
            guard case .connectionLost = error else { throw error }
            return error
        }
        return MCPError.broken
    }

    /// Reads the streams that continue the stream of a request, one after another, up to the response. The server may end each
    /// stream while it still works on the request, so that it need not keep a connection open. After a temporary failure, such
    /// as the status 409 while the server has not noticed the end of the former stream, the next stream is tried again.
    /// - Throws: the error that describes the end of the latest stream, which is `loss` at first, if that stream cannot be
    ///   continued: the server refuses for good, the identifier of the last event is missing or does not fit in a header field,
    ///   or the pause before the next stream would last beyond `deadline`. Also what `read` throws.
    private func readOn(
        after former: EventStreamReader, ended loss: any Error, before deadline: Deadline,
        upTo isLast: (Data) async throws -> Bool
    ) async throws {
        var (reader, end, pause, hasFailed) = (former, loss, MCPStreamPause(), false)
        while true {
            let wait = pause.next(namedByServer: reader.pause, afterFailure: hasFailed)
            guard let event = reader.lastID.flatMap(Self.header), wait < deadline.remaining else { throw end }
            try await deadline.time.sleep(for: wait)
            let body: HTTPStream.Body?
            do {
                body = try await ownStream(after: event)
            } catch {
                hasFailed = error.identityFailureClass == .transient
                // Report the end of the stream, and not the error that prevents the continuation: the server may have acted on
                // the request.
                guard hasFailed else { throw end }
                continue
            }
            guard let body else { throw end }
            hasFailed = false
            reader = EventStreamReader(after: reader)
            guard let next = try await read(body, with: &reader, upTo: isLast) else { return }
            end = next
        }
    }

    /// Writes a message of the server, but drops a response to another request.
    /// - Returns: whether the message is the response to `request`.
    /// - Throws: ``MCPError/failed(_:)`` for a text that is not a message, or `OutputError`.
    private func pass(
        _ text: Data, from head: HTTPURLResponse, to request: MCPMessage, id: JSONValue
    ) async throws -> Bool {
        guard let message = try? MCPMessage(parsing: text) else {
            throw MCPError.failed("The server has sent what is not a message of JSON-RPC 2.0.")
        }
        if case .response(let other) = message.kind {
            guard other == id else { return false }
            if request.method == MCPFields.beginning {
                fields.withLock { $0.begin(message, session: head.value(forHTTPHeaderField: "Mcp-Session-Id")) }
            }
            try await output.write(usable(message, for: request).text)
            return true
        }
        try await output.write(message.text)
        return false
    }

    /// Removes the tools with invalid `x-mcp-header` annotations from a response to `tools/list`, because their calls
    /// cannot be sent over HTTP. Returns every other response unchanged, and all responses before version 2026-07-28.
    private func usable(_ response: MCPMessage, for request: MCPMessage) -> MCPMessage {
        guard request.method == "tools/list", request.version != nil else { return response }
        let (usable, refused) = fields.withLock { $0.parameters.learn(from: response) }
        for tool in refused {
            session.note("identity: the definition of the tool \"\(tool)\" breaks the rules for x-mcp-header.")
        }
        return usable
    }

    // MARK: Failures

    /// Returns the error for an HTTP response with a status other than 2xx.
    private func refusal(_ response: HTTPStream) async throws -> MCPError {
        let head = response.head
        let missing = head.scopesAskedFor
        if !missing.isEmpty {
            let text = "The server asks for \(missing.joined(separator: ", ").visible)."
            return .failed(advice(text, missing.map { " --scope \($0.quotedForShell)" }.joined()))
        }
        let hasSession = fields.withLock { $0.session } != nil
        switch head.statusCode {
        case 401: return .failed(advice("The server refuses the token."))
        case 404 where hasSession: return .failed("The server has ended its session. Connect to it again.")
        case 300..<400:
            let place = head.value(forHTTPHeaderField: "Location")
                .flatMap { URL(string: $0, relativeTo: server.address)?.absoluteURL }
            // Many servers redirect to their own address with a slash added at the end.
            guard let place, place.isInside(server.address) else {
                return .failed("The server leads to another address, and no token is sent there.")
            }
            let text = "The server leads to \(place.absoluteString.visible), and its redirects are not followed. "
            return .failed(text + "If that is its address, start identity mcp with it.")
        default:
            let body = try? await response.body.all(upTo: 1 << 16)
            if let error = body.flatMap({ try? JSONValue(parsing: $0) })?["error"], error["code"]?.integerValue != nil,
                error["message"]?.stringValue != nil
            {
                return .refused(error)
            }
            return .failed("The server returned the status \(head.statusCode).")
        }
    }

    private func failure(_ error: any Error) async -> MCPError {
        if let error = error as? MCPError { return error }
        if error is EventTooLargeError { return .failed("A message of the server is too large.") }
        let text = await session.named(error.messageWithIdentifier)
        return .failed(error.asksForSignIn ? advice(text.withoutSignInRequest) : text.visible)
    }

    /// Returns `text` with the command that signs in at the server. This command does not change the active account.
    private func advice(_ text: String, _ options: String = "") -> String {
        let resource = " --resource \(server.resource.absoluteString.quotedForShell)"
        return session.call.place.completing("\(text.visible) Sign in with: identity login" + resource + options)
    }
}

extension Error {
    /// Whether the transport failed, or the HTTP response ended without the response to the request. After any other
    /// error, no request is repeated.
    fileprivate var mayBeRepeated: Bool { self is TransportError || self as? MCPError == .broken }
}

extension HTTPURLResponse {
    fileprivate var isEventStream: Bool {
        let type = value(forHTTPHeaderField: "Content-Type")?.split(separator: ";").first.map(String.init) ?? ""
        return type.trimmingCharacters(in: .whitespaces).lowercased() == "text/event-stream"
    }
}

extension HTTPStream.Body {
    /// Reads the whole body.
    /// - Throws: ``EventTooLargeError`` for more than `limit` bytes, or what reading the body throws.
    fileprivate func all(upTo limit: Int) async throws -> Data {
        var all = Data()
        for try await part in self {
            all += part
            guard all.count <= limit else { throw EventTooLargeError() }
        }
        return all
    }
}

/// Standard output, with one message per line.
actor MCPOutput {
    private let terminal: Terminal

    init(terminal: Terminal) { self.terminal = terminal }

    /// Writes a message, followed by a line feed.
    /// - Throws: `OutputError`.
    func write(_ text: Data) throws { try terminal.bytes(text + [UInt8(ascii: "\n")]) }
}
