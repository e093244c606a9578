import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responses, byte for byte: a server on a local socket sends them, and the transport of Linux reads them.
final class Responses: Sendable {
    private static let target = Responses()

    /// A clock on which no deadline passes: the system's keeps memory for each one until it has passed, although the task that
    /// waited is over.
    private static let standing = TimeSource(
        now: { Date() }, sleep: { _ in for await _ in AsyncStream<Never>.makeStream().stream {} })

    private let server = made { try BytesServer() }
    private let transport: CurlTransport
    private let request = URLRequest(url: made { try page("http://id.example.com/") })

    private init() {
        guard let transport = CurlTransport(maximumResponseSize: 1 << 12, time: Self.standing) else {
            preconditionFailure("no libcurl")
        }
        self.transport = transport.through(socket: server.path)
    }

    /// Only this target starts the server.
    @Sendable static func read(_ input: FuzzInput) { target.read(input) }

    private func read(_ input: FuzzInput) {
        _ = server.answer.exchange(input.data)
        let hasEnded = DispatchSemaphore(value: 0)
        Task { [transport, request] in
            do {
                let (body, head) = try await transport.data(for: request)
                rule(body.count <= 1 << 12, "a body beyond the limit")
                rule(head.allHeaderFields.count < 1 << 17, "more fields than bytes")
            } catch let error as TransportError {
                rule(!error.wasNeverSent, "a request that a server has read was never sent")
                error.tell()
            } catch {
                rule(false, "an untyped error: \(error)")
            }
            hasEnded.signal()
        }
        hasEnded.wait()
    }
}

/// Answers each connection with the bytes of an input, and closes it.
private final class BytesServer: Sendable {
    let path: String
    let answer = Locked(Data())

    init() throws {
        path = ScratchFiles().folder + "/responses"
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [UInt8](path.utf8)) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread { [answer] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                var head = [UInt8](repeating: 0, count: 4096)
                _ = recv(connection, &head, head.count, 0)
                let bytes = [UInt8](answer.withLock { $0 })
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }.start()
    }
}
