import IdentityKit

#if canImport(Glibc)
import Glibc
#endif

/// A port of this machine that a test names before anything listens there.
package enum FreePort {
    private static let given = Locked<Set<Int>>([])

    /// Returns a port at which nothing listens, once, and that the system gives to nobody.
    ///
    /// One of those that it gives away could go to a connection of another test between the moment it is chosen and the
    /// moment it is used. This one is below the ephemeral ports of Linux (from 32768) and of Apple's systems (from 49152).
    package static func find() -> Int {
        while true {
            let port = Int.random(in: 20_000..<32_000)
            if given.withLock({ $0.insert(port).inserted }), canBeBound(port) { return port }
        }
    }

    #if canImport(Glibc)
    /// Whether a program can take the port that does not ask to share it.
    package static func canBeBound(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
    #else
    /// The range alone keeps ports apart here.
    package static func canBeBound(_ port: Int) -> Bool { true }
    #endif
}
