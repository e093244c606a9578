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
        let name = StoreKey(.device, "thunderid-dpop/" + clientID)
        while true {
            let record = try await store.record(for: name)
            if let content = record?.content {
                return try SigningKey(jwk: Secret(String(decoding: content, as: UTF8.self)))
            }
            let key = try SigningKey()
            do {
                try await store.write(Data(key.jwk.reveal().utf8), for: name, replacing: record?.generation ?? 0)
                return key
            } catch TokenStoreError.conflict {
                try Task.checkCancellation()
            }
        }
    }
}
