import IdentityKit

/// Reserves the port of a stopped server as long as this value exists. The system refuses connections to the port, and does
/// not choose it for another server that asks for any free port. A client that still uses the old address thus gets an error
/// instead of reaching the server of another test.
final class HeldPort: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if the port cannot be reserved, for example because another server has it already.
    init?(host: String, port: Int) {
        guard let descriptor = try? LoopbackSocket.bind(to: host, port: port) else { return nil }
        self.descriptor = descriptor
    }

    deinit { LoopbackSocket.close(descriptor) }
}
