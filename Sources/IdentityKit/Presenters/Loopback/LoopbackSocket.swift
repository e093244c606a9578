import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls for sockets. Only `wait(for:timeout:)` blocks.
package enum LoopbackSocket {
    struct Listening: Sendable {
        let descriptor: Int32
        let port: Int
    }

    /// Listens on one of this machine's loopback addresses.
    /// - Parameters:
    ///   - address: a numeric address.
    ///   - port: the port; 0 for any free port.
    /// - Returns: the socket and its port; `nil` when `address` is not numeric, or the machine does not have it, such as an
    ///   IPv6 address on a machine without IPv6.
    /// - Throws: `LoopbackBrowserError` when the port is taken or not permitted, or a call fails.
    static func listen(on address: String, port: Int) throws(LoopbackBrowserError) -> Listening? {
        guard let descriptor = try bind(to: address, port: port) else { return nil }
        do throws(LoopbackBrowserError) {
            guard systemListen(descriptor, 64) == 0 else { throw refusal(errno, port) }
            return Listening(descriptor: descriptor, port: try Self.port(of: descriptor))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Reserves a port. The system refuses connections to the port until a socket listens on it.
    /// - Returns: the descriptor that reserves the port; `nil` when `address` is not numeric, or the machine does not have
    ///   it.
    /// - Throws: `LoopbackBrowserError` when the port is taken or not permitted, or a call fails.
    package static func bind(to address: String, port: Int) throws(LoopbackBrowserError) -> Int32? {
        var hints = addrinfo()
        (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, stream)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, stream, 0)
        guard descriptor >= 0 else { return try missing(errno, port) }
        prepare(descriptor)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard systemBind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
            let number = errno
            close(descriptor)
            return try missing(number, port)
        }
        return descriptor
    }

    /// Handles an error of `socket` or `bind`.
    /// - Returns: `nil` when the error means that the machine does not have the address.
    /// - Throws: `LoopbackBrowserError` for every other error.
    private static func missing(_ number: Int32, _ port: Int) throws(LoopbackBrowserError) -> Int32? {
        guard [EADDRNOTAVAIL, EAFNOSUPPORT].contains(number) else { throw refusal(number, port) }
        return nil
    }

    private static func refusal(_ number: Int32, _ port: Int) -> LoopbackBrowserError {
        switch number {
        case EADDRINUSE: .portTaken(port)
        case EACCES, EPERM: .portNotAllowed(port)
        default: .cannotListen(errno: number)
        }
    }

    private static func port(of descriptor: Int32) throws(LoopbackBrowserError) -> Int {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: 32)
        let result = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &size) == 0
                    ? getnameinfo(address, size, nil, 0, &text, socklen_t(text.count), NI_NUMERICSERV) : -1
            }
        }
        let digits = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        guard result == 0, let port = Int(String(decoding: digits, as: UTF8.self)) else {
            throw .cannotListen(errno: errno)
        }
        return port
    }

    /// Accepts a connection.
    /// - Returns: the descriptor of the next connection; `nil` when none is waiting, or after an error.
    static func accept(on listener: Int32) -> Int32? {
        let descriptor = systemAccept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        return descriptor
    }

    /// Whether the last system call failed only because it would have blocked or was interrupted, so that it can be
    /// repeated.
    static var isOnlyLater: Bool { [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) }

    /// Whether the last `accept` failed because no connection is waiting any more, or because it was interrupted.
    static var hasNoConnection: Bool { isOnlyLater || errno == ECONNABORTED }

    /// Reads into `buffer`.
    /// - Returns: the number of bytes; 0 when the other side sends no more, and a negative number after an error.
    static func receive(from descriptor: Int32, into buffer: inout [UInt8]) -> Int {
        recv(descriptor, &buffer, buffer.count, 0)
    }

    /// Sends as many of `bytes`, from the first one, as the socket accepts without blocking.
    /// - Returns: the number of bytes sent; less than 1 after an error.
    static func send(_ bytes: Data, to descriptor: Int32) -> Int {
        bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, noSignal) }
    }

    static func endSending(on descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    package static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    /// Makes a pipe that wakes the thread in ``wait(for:timeout:)``.
    /// - Throws: `LoopbackBrowserError.cannotListen(errno:)` when the system provides no pipe.
    static func pipe() throws(LoopbackBrowserError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { throw .cannotListen(errno: errno) }
        for end in ends { prepare(end) }
        return (ends[0], ends[1])
    }

    /// Wakes the thread that waits for the pipe. If the pipe is full, no write is needed, because the bytes in it wake the
    /// thread.
    static func wake(_ pipe: Int32) {
        var byte: UInt8 = 0
        _ = write(pipe, &byte, 1)
    }

    static func drain(_ pipe: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(pipe, &bytes, bytes.count) > 0 {}
    }

    /// Waits until one of the descriptors is ready.
    /// - Parameters:
    ///   - waits: the descriptors, with `true` to wait for sending and `false` to wait for reading.
    ///   - timeout: in milliseconds; -1 for none.
    /// - Returns: the descriptors that are ready or have failed; empty after the timeout or an error.
    static func wait(for waits: [(descriptor: Int32, toSend: Bool)], timeout: Int32) -> Set<Int32> {
        var polled = waits.map {
            pollfd(fd: $0.descriptor, events: Int16($0.toSend ? POLLOUT : POLLIN), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return [] }
        return Set(polled.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Makes the descriptor non-blocking, and keeps it from programs that this process executes. On Apple's systems, also
    /// prevents SIGPIPE; elsewhere a flag of `send` does that.
    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}

// Wrappers for calls with the same names as functions above, and constants whose types differ between C libraries.
#if canImport(Darwin)
private let (systemBind, systemListen, systemAccept) = (Darwin.bind, Darwin.listen, Darwin.accept)
private let (systemSend, systemPipe, systemClose) = (Darwin.send, Darwin.pipe, Darwin.close)
private let (stream, noSignal) = (SOCK_STREAM, Int32(0))
#elseif canImport(Glibc)
private let (systemBind, systemListen, systemAccept) = (Glibc.bind, Glibc.listen, Glibc.accept)
private let (systemSend, systemPipe, systemClose) = (Glibc.send, Glibc.pipe, Glibc.close)
private let (stream, noSignal) = (Int32(SOCK_STREAM.rawValue), Int32(MSG_NOSIGNAL))
#elseif canImport(Musl)
private let (systemBind, systemListen, systemAccept) = (Musl.bind, Musl.listen, Musl.accept)
private let (systemSend, systemPipe, systemClose) = (Musl.send, Musl.pipe, Musl.close)
private let (stream, noSignal) = (SOCK_STREAM, Int32(MSG_NOSIGNAL))
#endif
