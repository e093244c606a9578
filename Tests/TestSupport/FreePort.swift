#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A port of this machine that a test names before anything listens there.
///
/// Not one of those that the system gives away: between the moment it is chosen and the moment it is used, a connection of
/// another test could have it.
package enum FreePort {
    /// Returns a port of 127.0.0.1 at which nothing listens.
    package static func find() -> Int {
        while true {
            // Below the ephemeral ports of Linux (32768) and of Apple's systems (49152).
            let port = Int.random(in: 20_000..<32_000)
            if isFree(UInt16(port)) { return port }
        }
    }

    private static func isFree(_ port: UInt16) -> Bool {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
