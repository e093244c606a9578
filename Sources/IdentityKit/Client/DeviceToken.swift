import Foundation

/// The identifier of this physical device that providers are given: made once, kept in the shared store, and worth
/// nothing elsewhere.
enum DeviceToken {
    private static let key = StoreKey(.device, "token")

    /// The device's token, made when there is none yet.
    /// - Throws: ``TokenStoreError`` or ``RandomnessUnavailable``.
    static func load(from store: any TokenStore, random: RandomSource) async throws -> String {
        while true {
            let record = try await store.record(for: key)
            if let content = record?.content { return String(decoding: content, as: UTF8.self) }
            let token = try random.bytes(16).hexEncoded
            do {
                try await store.write(Data(token.utf8), for: key, replacing: record?.generation ?? 0)
            } catch TokenStoreError.conflict {
                // Another process made one at the same time; its token is the device's.
                continue
            }
        }
    }
}
