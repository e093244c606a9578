import Foundation
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files of a folder that are on their way to their place.
///
/// A writer holds a lock on its draft, which the kernel frees when the writer dies: whoever gets the lock knows that nobody
/// needs the file any more. Where no lock may be held (see ``StoreLeasing/forAtMost(_:)``) or can be had, its age has to do.
enum Drafts {
    /// What the names of drafts end with that their writers lock.
    private static let lockedSuffix = ".locked.draft"
    private static let suffix = ".draft"

    /// Creates a file that is nobody else's, locked where that is possible.
    static func create(in folder: String) throws -> (path: String, descriptor: Int32) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        return try createUnlocked(in: folder)
        #else
        while true {
            let draft = try create(in: folder, suffix: lockedSuffix)
            if uninterrupted({ flock(draft.descriptor, LOCK_EX | LOCK_NB) }) == 0 {
                // Somebody who tidied up before the lock was held has removed the file.
                var status = stat()
                if fstat(draft.descriptor, &status) == 0, status.st_nlink > 0 { return draft }
                unlink(draft.path)
                close(draft.descriptor)
            } else {
                let failure = errno
                unlink(draft.path)
                close(draft.descriptor)
                guard failure == EWOULDBLOCK else { return try createUnlocked(in: folder) }
            }
        }
        #endif
    }

    private static func createUnlocked(in folder: String) throws -> (path: String, descriptor: Int32) {
        try create(in: folder, suffix: suffix)
    }

    private static func create(in folder: String, suffix: String) throws -> (path: String, descriptor: Int32) {
        let path = "\(folder)/\(UUID().uuidString)\(suffix)"
        let descriptor = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw SystemCallError.current }
        return (path, descriptor)
    }

    /// Removes what killed writers left behind in `folder`.
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
        // By its name, which no other file ever has: what was moved to its place meanwhile stays there.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    }

    /// A younger file may still be on its way.
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
