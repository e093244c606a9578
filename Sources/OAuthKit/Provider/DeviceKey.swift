import Foundation
import IdentityKit

/// The key of this device that a client's tokens are bound to (RFC 9449), kept in the store like the tokens. It is there
/// for tokens that are bound already, whatever the configuration says about new ones.
package final class DeviceKey: Sendable {
    private let name: StoreKey
    private let environment: IdentityEnvironment
    private let known = Locked<DPoPProver?>(nil)

    /// - Parameters:
    ///   - type: the provider type.
    ///   - clientID: the client.
    ///   - environment: the store, the clock and the randomness.
    package init(ofType type: String, clientID: String, in environment: IdentityEnvironment) {
        name = StoreKey(.device, type + "-dpop/" + clientID)
        self.environment = environment
    }

    /// Proves the key, which is made at first use and then kept, as are the nonces that servers ask for. Of several that
    /// are made at the same time, one wins.
    /// - Throws: ``/IdentityKit/TokenStoreError``, ``OAuthError``.
    package var prover: DPoPProver {
        get async throws {
            if let prover = known.withLock({ $0 }) { return prover }
            let made = DPoPProver(key: try await key(), random: environment.random, time: environment.time)
            return known.withLock { known in
                let prover = known ?? made
                known = prover
                return prover
            }
        }
    }

    /// The stored key, or a fresh one that is stored.
    private func key() async throws -> SigningKey {
        let jwk = try await environment.store.valueMadeOnce(for: name) { Data(try SigningKey().jwk.reveal().utf8) }
        return try SigningKey(jwk: Secret(String(decoding: jwk, as: UTF8.self)))
    }
}
