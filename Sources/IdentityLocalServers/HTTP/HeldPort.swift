import IdentityKit

/// The port of a server that has stopped. Connections to it are refused, and no other server gets it, until this value is let
/// go: an address that should lead nowhere would lead to somebody else's server.
final class HeldPort: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` when another server already has the port.
    init?(host: String, port: Int) {
        guard let descriptor = try? LoopbackSocket.bind(to: host, port: port) else { return nil }
        self.descriptor = descriptor
    }

    deinit { LoopbackSocket.close(descriptor) }
}
