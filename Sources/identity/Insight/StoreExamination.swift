import Foundation
import IdentityKit

/// Examines the store: whether it opens, and whether its key and its records can be read.
struct StoreExamination {
    let configuration: StoreConfiguration

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
        // A store that cannot be written may still be readable.
        return await writing(to: store) + parentFolders + records(of: store)
    }

    /// The folders above the store: a user who can write them can replace the store.
    private var parentFolders: [Finding] {
        guard let folder = try? configuration.folderPath else { return [] }
        guard let weakness = ParentFolders.weakness(above: folder) else {
            return [.ok("parent folders", "only you and the system can change them")]
        }
        return [
            .warning(
                "parent folders", "\(weakness.folder) lets other users replace the store: \(weakness.detail)",
                fix: "chmod go-w '\(weakness.folder)', or move the store.")
        ]
    }

    /// Writes a record and erases it.
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
                    : .bad("store key", "a record was changed", fix: "Use another folder."),
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
