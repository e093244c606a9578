import Foundation
import IdentityKit

/// Remembers what a server lacks, kept in the store, so that not every start of the app asks for it again.
struct ServerMemory: Sendable {
    private struct Lacks: Codable {
        /// When the server was last seen without SCIM.
        var scimSince: Date
    }

    /// How long it is relied on: servers are upgraded.
    private static let span: TimeInterval = 30 * 86_400

    let baseURL: ServerURL
    let store: any TokenStore
    let time: TimeSource

    private var key: StoreKey { StoreKey(.device, "thunderid-server/" + baseURL.description) }

    /// Whether the server had no SCIM when it was asked last, not long ago. What cannot be read is not known.
    func lacksSCIM() async -> Bool {
        guard let content = try? await store.record(for: key)?.content,
            let lacks = try? JSONDecoder().decode(Lacks.self, from: content)
        else { return false }
        return abs(time.now.timeIntervalSince(lacks.scimSince)) < Self.span
    }

    /// Remembers that the server has no SCIM. A store that cannot keep it costs only the next question.
    func noteLackOfSCIM() async {
        guard let content = try? JSONEncoder().encode(Lacks(scimSince: time.now)) else { return }
        let generation = (try? await store.record(for: key))?.generation ?? 0
        _ = try? await store.write(content, for: key, replacing: generation)
    }
}
