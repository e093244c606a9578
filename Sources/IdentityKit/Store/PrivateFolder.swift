import Foundation

/// A folder with few files that only their owner can open, used by one process at a time.
package final class PrivateFolder: Sendable {
    package let path: String
    private let lock: FileLock

    /// Creates the folder if it is missing, and locks it for this process until the object is released. Removes unfinished
    /// files of an earlier process.
    /// - Throws: ``PrivateFolderError/inUse(path:)``, ``PrivateFolderError/notPrivate(path:detail:)`` or
    ///   ``PrivateFolderError/notWritable(path:detail:)``.
    package init(at path: String) throws {
        self.path = path
        do {
            try PrivateFile.createFolder(at: path)
            if let weakness = try PrivateFile.weakness(ofFolder: path) {
                throw PrivateFolderError.notPrivate(path: path, detail: weakness)
            }
            guard let lock = try FileLock.tryLock("\(path)/lock") else { throw PrivateFolderError.inUse(path: path) }
            self.lock = lock
        } catch let failure as SystemCallError {
            throw PrivateFolderError.notWritable(path: path, detail: failure.detail)
        }
        removeDrafts()
    }

    /// The content of the file called `name`; `nil` when there is no such file.
    /// - Throws: ``PrivateFolderError/unreadable(path:detail:)`` or ``PrivateFolderError/notPrivate(path:detail:)``.
    package func read(_ name: String) throws -> Data? {
        let file = "\(path)/\(name)"
        do {
            return try PrivateFile.readIfPresent(file) { PrivateFolderError.unreadable(path: file, detail: $0) }
        } catch TokenStoreError.insecure(let path, let detail) {
            throw PrivateFolderError.notPrivate(path: path, detail: detail)
        }
    }

    /// Creates or atomically replaces the file called `name`.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. After an error the old file is unchanged.
    package func write(_ content: Data, to name: String) throws {
        do {
            try TemporaryFile(in: path).replace("\(path)/\(name)", with: content)
        } catch let failure as SystemCallError {
            throw PrivateFolderError.notWritable(path: "\(path)/\(name)", detail: failure.detail)
        }
    }

    private func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasSuffix(".draft") { unlink("\(path)/\(name)") }
    }
}

package enum PrivateFolderError: StatedFailure, Equatable {
    /// Transient, because the other process may end.
    case inUse(path: String)
    /// Other users could read or replace the folder or the file at `path`, for the reason in `detail`.
    case notPrivate(path: String, detail: String)
    case unreadable(path: String, detail: String)
    case notWritable(path: String, detail: String)

    package var facts: FailureFacts {
        switch self {
        case .inUse(let path):
            .transient("folder_in_use", "Another process uses \(path). End it, or name another folder.")
        case .notPrivate(let path, let detail): .definitive("folder_not_private", "\(path) is not private: \(detail).")
        case .unreadable(let path, let detail): .definitive("folder_unreadable", "\(path) cannot be read: \(detail).")
        case .notWritable(let path, let detail):
            .definitive("folder_not_writable", "\(path) cannot be written: \(detail).")
        }
    }
}
