import Foundation
import IdentityKit

/// Looks at the store: whether it opens, whether its key can be had, and whether its records can be read.
struct StoreExamination {
    private let configuration: StoreConfiguration

    init(_ configuration: StoreConfiguration) { self.configuration = configuration }

    func findings() async -> [Finding] {
        guard configuration != .memory else {
            return [
                .warning(
                    "store", "sessions are kept in memory and end with each command",
                    fix: "Set \"store\": {\"type\": \"file\", \"folder\": \"~/.local/state/identity\"}.")
            ]
        }
        let store: any TokenStore
        do {
            store = try configuration.open()
        } catch {
            return [.bad("store", error.identityMessage, fix: nil)]
        }
        // A store that takes no writes may still have been read all the time.
        return await writing(to: store) + parentFolders + records(of: store)
    }

    /// The folders above the store, where whoever may write can put another one in its place.
    private var parentFolders: [Finding] {
        guard let folder = try? configuration.folderPath else { return [] }
        guard let weakness = ParentFolders.weakness(above: folder) else {
            return [.ok("parent folders", "only you and the system may change them")]
        }
        return [
            .warning(
                "parent folders", "\(weakness.folder) lets others move the store away: \(weakness.detail)",
                fix: "chmod go-w '\(weakness.folder)', or keep the store elsewhere.")
        ]
    }

    /// Writes a record and erases it: that takes the folder, the disk and the key.
    private func writing(to store: any TokenStore) async -> [Finding] {
        do {
            let key = StoreKey(.device, "examination")
            let before = try await store.record(for: key)?.generation ?? 0
            let written = try await store.write(Data("sound".utf8), for: key, replacing: before)
            let read = try await store.record(for: key)
            try await store.write(nil, for: key, replacing: written.generation)
            let isSound = read == written
            return [
                .ok("store", configuration.inWords),
                isSound
                    ? .ok("store key", "a record was sealed, written, read and erased")
                    : .bad("store key", "a record came back changed", fix: "Use another folder."),
            ]
        } catch {
            return [.bad("store", error.identityMessage, fix: nil)]
        }
    }

    private func records(of store: any TokenStore) async -> [Finding] {
        do {
            let listing = try await store.records(in: .accounts)
            let damaged = listing.failures.map { failure in
                Finding.bad("session", failure.message, fix: "Run: identity login")
            }
            let count = listing.records.count { $0.content != nil }
            return damaged + [.ok("sessions", "\(count) can be read")]
        } catch {
            return [.bad("sessions", error.identityMessage, fix: nil)]
        }
    }
}
