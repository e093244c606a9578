#if canImport(Combine)
import Combine
import IdentityKit

/// The most recently created client, for an ``InsForgeAuthState`` without arguments.
///
/// InsForge's documentation uses `InsForgeAuthState()`. With several clients, use `InsForgeAuthState(client:)` instead.
final class LatestClient: Sendable {
    static let shared = LatestClient()

    private let client = Locked<InsForgeClient?>(nil)

    func register(_ client: InsForgeClient) { self.client.withLock { $0 = client } }

    var value: InsForgeClient? { client.withLock { $0 } }
}

/// Lets a client be an environment object. It never publishes a change; views observe ``InsForgeAuthState``.
extension InsForgeClient: ObservableObject {}
#endif
