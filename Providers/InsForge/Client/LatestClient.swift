#if canImport(Combine)
import Combine
import IdentityKit

/// The client that was made last: what an ``InsForgeAuthState`` without arguments belongs to.
///
/// The one piece of shared state in this module. The documented interface has such an initializer and no way to say which
/// client it means; with more than one client, use `InsForgeAuthState(client:)`.
final class LatestClient: Sendable {
    static let shared = LatestClient()

    private let client = Locked<InsForgeClient?>(nil)

    func register(_ client: InsForgeClient) { self.client.withLock { $0 = client } }

    var value: InsForgeClient? { client.withLock { $0 } }
}

/// So that it can be an environment object. Nothing of it changes; ``InsForgeAuthState`` is what a view observes.
extension InsForgeClient: ObservableObject {}
#endif
