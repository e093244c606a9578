import Foundation

/// The addresses at which this process listens, asked of its own sockets.
///
/// The system's list of all sockets is read in pieces, and lacks entries when others come and go meanwhile.
enum ListeningAddresses {
    /// - Returns: the numeric addresses of the sockets that listen at `port`.
    static func at(port: Int) throws -> Set<String> {
        var addresses: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: "/dev/fd") {
            guard let descriptor = Int32(name), isListening(descriptor), let address = address(of: descriptor),
                address.port == String(port)
            else { continue }
            addresses.insert(address.host)
        }
        return addresses
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    private static func address(of descriptor: Int32) -> (host: String, port: String)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: 64)
        var port = [CChar](repeating: 0, count: 16)
        let isFound = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &size) == 0
                    && getnameinfo(
                        address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        return isFound ? (text(host), text(port)) : nil
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
