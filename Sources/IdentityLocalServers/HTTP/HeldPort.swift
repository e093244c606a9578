import IdentityKit

/// Reserves the port of a server that has stopped, as long as this value exists. Connections to it are refused, and no
/// other server can get it, so that the old address never leads to another test's server.
final class HeldPort: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if another server has the port already.
    init?(host: String, port: Int) {
        guard let descriptor = try? LoopbackSocket.bind(to: host, port: port) else { return nil }
        self.descriptor = descriptor
    }

    deinit { LoopbackSocket.close(descriptor) }
}
