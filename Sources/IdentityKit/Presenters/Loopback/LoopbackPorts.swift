/// Opens the same port on every loopback address of a host name.
struct LoopbackPorts {
    let host: String

    /// The largest number of ports to try until a port is free on both addresses.
    private static let attempts = 32

    /// Listens on the port at every address of `host` that this machine has.
    /// - Parameter port: the port; `nil` for any free port.
    /// - Returns: a socket for each address, at least one.
    /// - Throws: `LoopbackBrowserError` when the machine has no such address, or the system refuses to listen.
    func open(_ port: Int?) throws(LoopbackBrowserError) -> [LoopbackSocket.Listening] {
        guard port == nil else { return try openAll(port) }
        for _ in 1..<Self.attempts {
            // Try again with another port: the port may be taken on the second address.
            do throws(LoopbackBrowserError) {
                return try openAll(nil)
            } catch {
                guard case .portTaken = error else { throw error }
            }
        }
        return try openAll(nil)
    }

    /// The addresses to listen on. For `localhost` these are the IPv4 and the IPv6 address, because a browser may use either
    /// (RFC 6761 section 6.3).
    private var addresses: [String] {
        switch host.lowercased() {
        case "localhost": ["127.0.0.1", "::1"]
        case "::1", "[::1]": ["::1"]
        default: [host]
        }
    }

    private func openAll(_ port: Int?) throws(LoopbackBrowserError) -> [LoopbackSocket.Listening] {
        var sockets: [LoopbackSocket.Listening] = []
        do throws(LoopbackBrowserError) {
            for address in addresses {
                if let socket = try LoopbackSocket.listen(on: address, port: sockets.first?.port ?? port ?? 0) {
                    sockets.append(socket)
                }
            }
        } catch {
            for socket in sockets { LoopbackSocket.close(socket.descriptor) }
            throw error
        }
        guard !sockets.isEmpty else { throw .noAddress(host) }
        return sockets
    }
}
