import Foundation
import IdentityKit

/// Remembers in the store that a server lacks SCIM, so that not every start of the app sends a request to find out.
struct ServerMemory: Sendable {
    private struct Lacks: Codable {
        /// The time of the latest response that showed that the server has no SCIM.
        var scimSince: Date
    }

    /// The time in seconds until the client tries SCIM again: 30 days. The server may have been upgraded by then.
    private static let span: TimeInterval = 30 * 86_400

    let baseURL: ServerURL
    let store: any TokenStore
    let time: TimeSource

    private var key: StoreKey { StoreKey(.device, "thunderid-server/" + baseURL.description) }

    /// Returns whether a response of the last 30 days showed that the server has no SCIM; `false` if the store has no readable
    /// record of this.
    func lacksSCIM() async -> Bool {
        guard let content = try? await store.record(for: key)?.content,
            let lacks = try? JSONDecoder().decode(Lacks.self, from: content)
        else { return false }
        return abs(time.now.timeIntervalSince(lacks.scimSince)) < Self.span
    }

    /// Records that the server has no SCIM. If the store fails, the next start sends a request again.
    func noteLackOfSCIM() async {
        guard let content = try? JSONEncoder().encode(Lacks(scimSince: time.now)) else { return }
        let generation = (try? await store.record(for: key))?.generation ?? 0
        _ = try? await store.write(content, for: key, replacing: generation)
    }
}
