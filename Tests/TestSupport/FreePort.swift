import IdentityKit

#if canImport(Glibc)
import Glibc
#endif

/// A port of this machine that a test names before anything listens there.
package enum FreePort {
    /// Ports of this process that were not returned yet.
    private static let left = Locked(0..<0)

    /// Returns a port at which nothing listens, once, and that neither the system nor another test process gives away.
    ///
    /// A port that the system gives away could go to a connection of another test between the moment it is chosen and the
    /// moment it is used. This one is below the ephemeral ports of Linux (from 32768) and of Apple's systems (from 49152).
    package static func find() -> Int {
        left.withLock { left in
            while true {
                while let port = left.popFirst() {
                    if canBeBound(port) { return port }
                }
                left = block()
            }
        }
    }

    /// Takes a hundred ports. The first of them stays bound as long as this process runs, so that another takes others.
    private static func block() -> Range<Int> {
        while true {
            let first = 100 * Int.random(in: 200..<320)
            if holds(first) { return first + 1..<first + 100 }
        }
    }

    #if canImport(Glibc)
    /// Whether a program can take the port that does not ask to share it.
    package static func canBeBound(_ port: Int) -> Bool {
        guard let descriptor = bound(to: port) else { return false }
        close(descriptor)
        return true
    }

    private static func holds(_ port: Int) -> Bool { bound(to: port) != nil }

    private static func bound(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
    #else
    /// The range alone keeps ports apart here.
    package static func canBeBound(_ port: Int) -> Bool { true }

    private static func holds(_ port: Int) -> Bool { true }
    #endif
}
