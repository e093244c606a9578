import IdentityKit
import OAuthKit

/// The prover of a client's device key, made at first use and then kept: it remembers the nonces that servers asked for.
///
/// It needs no answer of the server, and it is there for tokens that are bound already, whatever the configuration says
/// now about new ones.
final class DeviceProver: Sendable {
    private let key: DeviceKey
    private let environment: IdentityEnvironment
    private let known = Locked<DPoPProver?>(nil)

    init(clientID: String, environment: IdentityEnvironment) {
        key = DeviceKey(clientID: clientID, store: environment.store)
        self.environment = environment
    }

    /// The prover. Of several that are made at the same time, one wins.
    /// - Throws: ``/IdentityKit/TokenStoreError``, ``/OAuthKit/OAuthError``.
    var prover: DPoPProver {
        get async throws {
            if let prover = known.withLock({ $0 }) { return prover }
            let made = DPoPProver(key: try await key.key(), random: environment.random, time: environment.time)
            return known.withLock { known in
                let prover = known ?? made
                known = prover
                return prover
            }
        }
    }
}
