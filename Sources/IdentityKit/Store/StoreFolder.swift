import Foundation
import IdentityStoreFormat

/// The layout of a file store.
///
/// ```text
/// <root>/store.json                   format, identifier and protection of the store
/// <root>/store.copy                   copy of store.json with a digest, to restore a damaged store.json
/// <root>/notice                       memory-mapped numbers that change when a record is written
/// <root>/<collection>/<hash>.record   one record
/// <root>/locks/<collection>-<hash>.…  lock files (empty, never removed or replaced), and leases with a deadline
/// <root>/drafts/                      new files before they are moved to their destination
/// <root>/quarantine/                  damaged records
/// ```
struct StoreFolder: Sendable {
    let path: String

    /// The purpose of a lock file. The raw value is a part of the file's name.
    enum Lock: String {
        /// Held while the record is replaced.
        case write
        /// Held as long as the lease lasts. With ``StoreLeasing/forAtMost(_:)``, another file represents the lease, and the
        /// lock is held only while that file is written or removed.
        case lease
    }

    /// Creates missing folders, and removes abandoned drafts.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` for a
    ///   folder that other users could read or replace.
    init(path: String) throws {
        let place = try StorePlace(at: StorePath.anchored(path, in: FileManager.default.currentDirectoryPath))
        self.path = place.folder
        try SystemCallError.asWriteError(at: place.folder) { try place.closeIfUnused() }
        for folder in [self.path, drafts, locks, quarantine] { try Self.secure(folder) }
        Drafts.removeAbandoned(in: drafts)
    }

    var drafts: String { "\(path)/drafts" }
    var locks: String { "\(path)/locks" }
    var quarantine: String { "\(path)/quarantine" }
    var notice: String { "\(path)/notice" }
    var description: String { "\(path)/\(StoreTitle.file)" }

    var copy: String { "\(path)/\(StoreDescription.copy)" }

    func collection(_ collection: StoreKey.Collection) -> String {
        "\(path)/\(collection.rawValue)"
    }

    /// The collections that have a folder, in alphabetical order. Folders such as `locks` and `quarantine` are left out.
    /// - Throws: ``/IdentityCore/TokenStoreError/unreadable(path:detail:)``.
    func collections() throws -> [StoreKey.Collection] {
        do throws(SystemCallError) {
            let others = [drafts, locks, quarantine]
            let files = [notice, description, copy]
            return try FolderContent.names(in: path).sorted().map(StoreKey.Collection.init(rawValue:)).filter {
                !(others + files).contains(collection($0))
            }
        } catch {
            throw TokenStoreError.unreadable(path: path, detail: "\(error)")
        }
    }

    func record(_ key: StoreKey) -> String {
        "\(path)/\(RecordPath.path(collection: key.collection.rawValue, name: key.name))"
    }

    func lock(_ purpose: Lock, _ key: StoreKey) -> String {
        "\(locks)/\(key.collection.rawValue)-\(Self.hash(of: key)).\(purpose.rawValue)"
    }

    func quarantined(_ key: StoreKey, at date: Date) -> String {
        "\(quarantine)/\(quarantinePrefix(of: key))\(date.wholeMillisecondsSince1970)"
    }

    /// The beginning of the names of all files that were quarantined under `key`.
    func quarantinePrefix(of key: StoreKey) -> String { "\(key.collection.rawValue)-\(Self.hash(of: key))-" }

    /// Prepares a write: checks that the store still exists and is private, and creates the folder of the collection.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func prepare(_ collection: StoreKey.Collection) throws {
        guard exists else {
            throw TokenStoreError.notWritable(path: path, detail: "the store's folder was removed or is not mounted")
        }
        for folder in [path, self.collection(collection)] { try Self.secure(folder) }
    }

    /// Whether the file `store.json` exists. Without it, the store may be on a disk that is not mounted, so a missing
    /// record may still exist there.
    var exists: Bool {
        var status = stat()
        return lstat(description, &status) == 0
    }

    /// The hash of a record's name, so that file names do not show account names.
    static func hash(of key: StoreKey) -> String {
        RecordPath.hash(ofName: key.name)
    }

    /// Excludes the folder from backups, because backups do not contain the key of the store. If that fails, a store that
    /// is restored on another device starts empty.
    func excludeFromBackups() {
        #if canImport(Darwin)
        var folder = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? folder.setResourceValues(values)
        #endif
    }

    private static func secure(_ folder: String) throws {
        try SystemCallError.asWriteError(at: folder) {
            try PrivateFile.createFolder(at: folder)
            if let weakness = try PrivateFile.weakness(ofFolder: folder) {
                throw TokenStoreError.insecure(path: folder, detail: weakness)
            }
        }
    }
}
