import Foundation

/// An HTTP connection to a loopback address, which carries one request and one response.
struct LoopbackConnection {
    /// The longest request that is read, head and body together, in bytes.
    private static let mostBytes = 1 << 17
    private static let mostBodyBytes = 1 << 16
    private static let headEnd = Data("\r\n\r\n".utf8)

    private enum Progress {
        case head
        case body(LoopbackRequest, size: Int)
        case sending(Data, then: (@Sendable () -> Void)?)
        /// The response was sent, and the rest of the request is still read: if the connection were closed with unread
        /// bytes, the system could discard the response.
        case draining
    }

    let number: Int
    let descriptor: Int32
    /// The task that makes the server close the connection once it has been open for too long.
    let deadline: Task<Void, Never>

    private var progress = Progress.head
    private var received = Data()
    /// The number of received bytes that were already searched for the end of the head.
    private var searched = 0
    private var count = 0

    init(number: Int, descriptor: Int32, deadline: Task<Void, Never>) {
        (self.number, self.descriptor, self.deadline) = (number, descriptor, deadline)
    }

    var isSending: Bool { if case .sending = progress { true } else { false } }

    /// Reads or sends as much as possible without blocking.
    /// - Returns: whether the connection stays open.
    mutating func advance(_ handler: (LoopbackRequest) -> LoopbackResponse) -> Bool {
        isSending ? send() : receive(handler)
    }

    private mutating func receive(_ handler: (LoopbackRequest) -> LoopbackResponse) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let size = LoopbackSocket.receive(from: descriptor, into: &buffer)
        guard size > 0 else { return size < 0 && LoopbackSocket.isOnlyLater }
        count += size
        guard count <= Self.mostBytes else { return false }
        if case .draining = progress { return true }
        received += buffer[..<size]
        if case .head = progress, let response = readHead() { return respond(response) }
        guard case .body(var request, let size) = progress, received.count >= size else { return true }
        request.body = received.prefix(size)
        return respond(handler(request), withBody: request.method != "HEAD")
    }

    /// Parses the head once all of it has been received.
    /// - Returns: the response when the request is refused; otherwise `nil`.
    private mutating func readHead() -> LoopbackResponse? {
        guard let end = received.range(of: Self.headEnd, in: max(0, searched - 3)..<received.count) else {
            searched = received.count
            return nil
        }
        guard let request = LoopbackRequest(head: received[..<end.lowerBound]) else {
            return LoopbackResponse(status: 400)
        }
        guard request.values(of: "Transfer-Encoding").isEmpty else { return LoopbackResponse(status: 411) }
        let sizes = request.values(of: "Content-Length")
        guard sizes.count < 2, let size = Self.size(sizes.first ?? "0") else { return LoopbackResponse(status: 400) }
        guard size <= Self.mostBodyBytes else { return LoopbackResponse(status: 413) }
        received = Data(received[end.upperBound...])
        progress = .body(request, size: size)
        return nil
    }

    /// Parses a `Content-Length` of digits only; `nil` for a number that is too large, and for other text, such as a number
    /// with a sign, which `Int` would accept.
    private static func size(_ text: String) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private mutating func respond(_ response: LoopbackResponse, withBody: Bool = true) -> Bool {
        received = Data()
        progress = .sending(response.bytes(withBody: withBody), then: response.whenSent)
        return send()
    }

    private mutating func send() -> Bool {
        guard case .sending(var rest, let then) = progress else { return true }
        while !rest.isEmpty {
            let size = LoopbackSocket.send(rest, to: descriptor)
            guard size > 0 else {
                progress = .sending(rest, then: then)
                return size < 0 && LoopbackSocket.isOnlyLater
            }
            rest = Data(rest.dropFirst(size))
        }
        LoopbackSocket.endSending(on: descriptor)
        progress = .draining
        then?()
        return true
    }

    /// Closes the connection. A response that could not be sent counts as sent, so that no caller keeps waiting.
    func close() {
        deadline.cancel()
        LoopbackSocket.close(descriptor)
        if case .sending(_, let then) = progress { then?() }
    }
}
