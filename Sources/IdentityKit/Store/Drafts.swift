import Foundation
import IdentityStoreFormat

/// Temporary files, called drafts, which are written completely before they are moved to their final place.
///
/// A writer locks its draft, and the kernel frees the lock when the writer dies. Therefore, a draft that can be locked is
/// abandoned. On systems where a process must not hold a lock (``StoreLeasing/forAtMost(_:)``), and when a file cannot be
/// locked, a draft counts as abandoned after an hour.
enum Drafts {
    private static let lockedSuffix = ".locked.draft"
    private static let suffix = ".draft"

    /// Creates a new file, locked where that is possible.
    /// - Throws: ``SystemCallError``.
    static func create(in folder: String) throws -> (path: String, descriptor: Int32) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        return try create(in: folder, suffix: suffix)
        #else
        while true {
            let draft = try create(in: folder, suffix: lockedSuffix)
            if uninterrupted({ flock(draft.descriptor, LOCK_EX | LOCK_NB) }) == 0 {
                // Before the file was locked, another process may have removed it as abandoned.
                var status = stat()
                if fstat(draft.descriptor, &status) == 0, status.st_nlink > 0 { return draft }
                unlink(draft.path)
                close(draft.descriptor)
            } else {
                let failure = errno
                unlink(draft.path)
                close(draft.descriptor)
                guard failure == EWOULDBLOCK else { return try create(in: folder, suffix: suffix) }
            }
        }
        #endif
    }

    private static func create(in folder: String, suffix: String) throws -> (path: String, descriptor: Int32) {
        let path = "\(folder)/\(UUID().uuidString)\(suffix)"
        let descriptor = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw SystemCallError.current }
        return (path, descriptor)
    }

    static func removeAbandoned(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names {
            let path = "\(folder)/\(name)"
            if name.hasSuffix(lockedSuffix) { removeUnlocked(path) } else { removeOld(path) }
        }
    }

    private static func removeUnlocked(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A draft that was moved to its final place meanwhile is safe: its old path is free, and names are never reused.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    }

    /// Removes a file that is more than an hour old; a younger one may still be in use.
    private static func removeOld(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        #if canImport(Darwin)
        let modified = status.st_mtimespec.tv_sec
        #else
        let modified = status.st_mtim.tv_sec
        #endif
        if time(nil) - modified > 3600 { unlink(path) }
    }
}
