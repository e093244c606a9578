import Foundation
import IdentityStoreFormat

/// The folder of a file store, or a symbolic link to such a folder.
///
/// The link is resolved once, so that every path to a store leads to the same locks and the same key. Links in place of
/// the folders inside the store are refused.
package struct StorePlace: Sendable, Equatable {
    package let path: String
    /// The folder itself: the target if `path` is a link, otherwise `path`.
    package let folder: String

    /// Finds the folder at an absolute path, which need not exist.
    /// - Throws: ``/IdentityCore/TokenStoreError`` for a link that leads nowhere, or that belongs to another user who is not
    ///   root.
    init(at path: String) throws(TokenStoreError) {
        self.path = path
        folder = try StorePath.target(of: path)
    }

    /// Path of the default key file: ``folder`` with `.key` appended. If a file exists only at ``path`` with `.key`
    /// appended, that path is returned, because the key was created before ``path`` became a link.
    package var keyFile: String {
        let (own, former) = (folder + ".key", path + ".key")
        return access(own, F_OK) != 0 && access(former, F_OK) == 0 ? former : own
    }

    /// Checks that the folder can hold a store: it is private or missing, or is an empty folder of the current user, which
    /// can be made private.
    /// - Throws: ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` otherwise.
    func check() throws(TokenStoreError) {
        do {
            guard try Privacy.weakness(ofFolder: folder) != nil, !isUnused,
                // Check again: another process may have restricted access and then written files since the first check.
                let weakness = try Privacy.weakness(ofFolder: folder)
            else { return }
            throw TokenStoreError.insecure(path: folder, detail: weakness)
        } catch let error as TokenStoreError {
            throw error
        } catch {
            // Ignore a folder that is missing or unreachable, because creating it gives a better error.
        }
    }

    /// Sets the mode of an empty folder of the current user to 0700, if other users can open the folder.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``SystemCallError``.
    func closeIfUnused() throws {
        guard (try? Privacy.weakness(ofFolder: folder)) != nil, isUnused else { return }
        guard chmod(folder, 0o700) == 0 else { throw SystemCallError.current }
        // Look for files that another user has added before the mode was set. Files of this user are accepted, because
        // another process may have begun the store meanwhile.
        for name in try FolderContent.names(in: folder) {
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) != 0 || status.st_uid == geteuid() else {
                throw TokenStoreError.insecure(path: folder, detail: "another user has put something into it")
            }
        }
    }

    /// Whether the folder is the current user's and empty.
    private var isUnused: Bool {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return false
        }
        return (try? FolderContent.names(in: folder).isEmpty) ?? false
    }
}
