/// Opens the same port on every loopback address of a host name.
struct LoopbackPorts {
    let host: String

    /// Number of ports to try until one is free on both addresses.
    private static let attempts = 32

    /// Opens a port.
    /// - Parameter port: `nil` for any free one.
    /// - Throws: `LoopbackBrowserError`.
    func open(_ port: Int?) throws(LoopbackBrowserError) -> [LoopbackSocket.Listening] {
        guard port == nil else { return try openAll(port) }
        for _ in 1..<Self.attempts {
            // The port may be taken on the second address.
            do throws(LoopbackBrowserError) {
                return try openAll(nil)
            } catch {
                guard case .portTaken = error else { throw error }
            }
        }
        return try openAll(nil)
    }

    /// Addresses to listen on. For `localhost` these are both, because a browser may use either and tries IPv6 first
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
