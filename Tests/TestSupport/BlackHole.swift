#if canImport(Glibc)
import Foundation
import Glibc

/// An address of this machine at which connections are made and nobody responds.
package final class BlackHole: Sendable {
    package let port = FreePort.find()
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    package init() throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 8) == 0 else { throw CocoaError(.fileReadUnknown) }
    }

    deinit { close(descriptor) }
}
#endif
