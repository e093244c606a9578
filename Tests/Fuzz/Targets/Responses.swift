import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if os(Linux)
/// Bytes in the place of a response, which a server on a local socket sends and the transport of Linux reads.
struct Responses {
    private let server = made { try BytesServer() }
    private let transport: CurlTransport
    private let request = URLRequest(url: made { try page("http://id.example.com/") })

    init() {
        guard let transport = CurlTransport(maximumResponseSize: 1 << 12) else { preconditionFailure("no libcurl") }
        self.transport = transport.through(socket: server.path)
    }

    @Sendable func read(_ input: FuzzInput) {
        server.answer.exchange(input.data)
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

/// Sends the same bytes on each connection, and closes it.
private final class BytesServer: Sendable {
    let path = "/tmp/identity-fuzz-\(getpid()).socket"
    let answer = Answer()

    final class Answer: Sendable {
        private let bytes = Locked(Data())
        func exchange(_ new: Data) { _ = bytes.exchange(new) }
        var current: Data { bytes.withLock { $0 } }
    }

    init() throws {
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
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
                let bytes = [UInt8](answer.current)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }.start()
    }
}
#endif
