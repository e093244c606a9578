#if canImport(Combine)
import Combine
import IdentityKit

/// The client that was made last, for an ``InsForgeAuthState`` without arguments.
///
/// The documented interface has such an initializer. With more than one client, use `InsForgeAuthState(client:)`.
final class LatestClient: Sendable {
    static let shared = LatestClient()

    private let client = Locked<InsForgeClient?>(nil)

    func register(_ client: InsForgeClient) { self.client.withLock { $0 = client } }

    var value: InsForgeClient? { client.withLock { $0 } }
}

/// For use as an environment object. It never changes; views observe ``InsForgeAuthState``.
extension InsForgeClient: ObservableObject {}
#endif
