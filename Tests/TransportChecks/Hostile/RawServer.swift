#if os(Linux)
import Foundation
import IdentityKit

/// A server that does to a connection whatever a test says, byte for byte. It runs on threads of its own.
package final class RawServer: Sendable {
    package let port: Int
    /// -1 once it has stopped.
    private let listener: Locked<Int32>
    /// The connections that were accepted, and the heads of requests that were read on them.
    private let counts = Locked((connections: 0, requests: 0))
    private let connections = Locked<[RawConnection]>([])

    package var connectionCount: Int { counts.withLock { $0.connections } }
    package var requestCount: Int { counts.withLock { $0.requests } }

    /// Starts one on a port of the system's choice.
    /// - Parameters:
    ///   - family: `AF_INET` or `AF_INET6`.
    ///   - serve: what happens on each connection, in its own thread. The connection is closed afterwards.
    package init(
        _ family: Int32 = AF_INET, _ serve: @escaping @Sendable (RawConnection) -> Void
    ) throws {
        let opened = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.takePort(for: opened, family), listen(opened, 64) == 0 else {
            close(opened)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.port = port
        listener = Locked(opened)
        let thread = Thread { [listener, counts, connections] in
            while case let descriptor = accept(opened, nil, nil), descriptor >= 0 {
                let number = counts.withLock { counts in
                    counts.connections += 1
                    return counts.connections
                }
                let connection = RawConnection(descriptor, number: number) { counts.withLock { $0.requests += 1 } }
                connections.withLock { $0.append(connection) }
                Thread {
                    serve(connection)
                    connection.end()
                }.start()
            }
            _ = listener.exchange(-1)
            close(opened)
        }
        thread.start()
    }

    deinit { stop() }

    /// Ends all connections and takes no more.
    package func stop() {
        let open = listener.exchange(-1)
        if open >= 0 { _ = shutdown(open, Int32(SHUT_RDWR)) }
        for connection in connections.exchange([]) { connection.interrupt() }
    }

    /// Binds a socket to a port of the system's choice.
    fileprivate static func takePort(for socket: Int32, _ family: Int32 = AF_INET) -> Int? {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = inet_addr("127.0.0.1")
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_addr = in6addr_loopback
        let isBound =
            family == AF_INET6
            ? withUnsafeBytes(of: six) { take($0, for: socket) }
            : withUnsafeBytes(of: four) { take($0, for: socket) }
        guard isBound else { return nil }
        var address = sockaddr_in6(), length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isKnown = withUnsafeMutableBytes(of: &address) {
            getsockname(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length) == 0
        }
        // At the same place in both families.
        return isKnown ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }

    private static func take(_ address: UnsafeRawBufferPointer, for socket: Int32) -> Bool {
        guard let base = address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        return bind(socket, base, socklen_t(address.count)) == 0
    }
}

/// A port of 127.0.0.1 that refuses connections, and that nobody else gets.
package final class ClosedPort: Sendable {
    package let number: Int
    private let descriptor: Int32

    /// Takes a port of the system's choice.
    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = RawServer.takePort(for: descriptor) else {
            close(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        number = port
    }

    deinit { close(descriptor) }
}

/// An address whose queue of connections is full: whoever connects gets no answer.
package final class SilentAddress: Sendable {
    private let descriptors: [Int32]

    /// Takes `port` at 127.0.0.2.
    package init(port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.2")
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptors = (0..<5).map { _ in socket(AF_INET, kind, 0) }
        let isListening = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                guard bind(descriptors[0], address, length) == 0, listen(descriptors[0], 0) == 0 else { return false }
                for descriptor in descriptors.dropFirst() { _ = connect(descriptor, address, length) }
                return true
            }
        }
        self.descriptors = descriptors
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// Keeps it until here.
    package func stop() {}
}

/// A connection of a ``RawServer``. A single thread uses it; ``interrupt()`` may come from another.
package final class RawConnection: Sendable {
    /// 1 for the first one of the server.
    package let number: Int
    private let descriptor: Locked<Int32>
    private let hasRead: @Sendable () -> Void

    fileprivate init(_ descriptor: Int32, number: Int, hasRead: @escaping @Sendable () -> Void) {
        (self.descriptor, self.number, self.hasRead) = (Locked(descriptor), number, hasRead)
    }

    /// The server's side of a pair of sockets, and the descriptor of the other side.
    package static func pair() throws -> (RawConnection, other: Int32) {
        var ends: [Int32] = [-1, -1]
        let isMade = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        guard isMade else { throw POSIXError(.EMFILE) }
        return (RawConnection(ends[0], number: 1) {}, ends[1])
    }

    private var current: Int32 { descriptor.withLock { $0 } }

    /// Reads the head of a request, with its empty line; `nil` when the connection has ended.
    @discardableResult
    package func readHead() -> String? {
        var head = [UInt8]()
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard let byte = read(1)?.first else { return nil }
            head.append(byte)
        }
        hasRead()
        return String(decoding: head, as: UTF8.self)
    }

    /// Reads a request with the body whose length it says.
    /// - Returns: whether it has arrived as a whole.
    package func readRequest() -> Bool {
        guard let head = readHead() else { return false }
        let name = "content-length:"
        let field = head.lowercased().split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
        let length = field.flatMap { Int($0.dropFirst(name.count).trimmingCharacters(in: .whitespaces)) }
        return read(length ?? 0) != nil
    }

    /// Counts a request that was read in another way.
    package func noteRequest() { hasRead() }

    /// Reads so many bytes; `nil` when the connection has ended before.
    @discardableResult
    package func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count), have = 0
        while have < count {
            let got = bytes.withUnsafeMutableBytes { recv(current, $0.baseAddress.map { $0 + have }, count - have, 0) }
            guard got > 0 else { return nil }
            have += got
        }
        return bytes
    }

    /// - Returns: whether all was sent.
    @discardableResult
    package func write(_ text: String) -> Bool { write([UInt8](text.utf8)) }

    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(current, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Self.withoutSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static let withoutSignal = Int32(MSG_NOSIGNAL)

    /// Waits until the other side has ended the connection.
    package func awaitEnd() { while read(1) != nil {} }

    /// Shuts down the sending side.
    package func finishSending() { shutdown(current, Int32(SHUT_WR)) }

    /// Ends it with RST.
    package func reset() {
        var once = linger(l_onoff: 1, l_linger: 0)
        setsockopt(current, SOL_SOCKET, SO_LINGER, &once, socklen_t(MemoryLayout<linger>.size))
        end()
    }

    package func end() {
        let open = descriptor.exchange(-1)
        if open >= 0 { _ = close(open) }
    }

    fileprivate func interrupt() { if current >= 0 { shutdown(current, Int32(SHUT_RDWR)) } }
}
#endif
