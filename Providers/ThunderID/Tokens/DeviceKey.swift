import Foundation
import IdentityKit
import OAuthKit

/// The key of this device that a client's tokens are bound to (RFC 9449, contract 2.8), kept in the store as long as
/// there is one: tokens outlive the process.
struct DeviceKey: Sendable {
    let clientID: String
    let store: any TokenStore

    /// The stored key, or a fresh one that is stored. Of several that are made at the same time, one wins.
    /// - Throws: ``TokenStoreError``, ``OAuthError``.
    func key() async throws -> SigningKey {
        let jwk = try await store.valueMadeOnce(for: StoreKey(.device, "thunderid-dpop/" + clientID)) {
            Data(try SigningKey().jwk.reveal().utf8)
        }
        return try SigningKey(jwk: Secret(String(decoding: jwk, as: UTF8.self)))
    }
}
