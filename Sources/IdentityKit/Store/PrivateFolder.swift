import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder of a few files that only their owner can open, used by one process at a time.
package final class PrivateFolder: Sendable {
    /// Where it is.
    package let path: String
    private let lock: FileLock

    /// Creates the folder, if it is missing, and takes it for this process until the object is gone.
    /// - Throws: ``PrivateFolderError``.
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

    /// The content of a file; `nil` when there is none.
    /// - Throws: ``PrivateFolderError``.
    package func read(_ name: String) throws -> Data? {
        let file = "\(path)/\(name)"
        do {
            return try PrivateFile.read(file)
        } catch let failure as SystemCallError where failure.isMissingFile {
            return nil
        } catch let failure as SystemCallError {
            throw PrivateFolderError.unreadable(path: file, detail: failure.detail)
        } catch TokenStoreError.insecure(let path, let detail) {
            throw PrivateFolderError.notPrivate(path: path, detail: detail)
        }
    }

    /// Replaces a file as a whole: after a crash it is the old one or the new one.
    /// - Throws: ``PrivateFolderError``. What was there before is still there then.
    package func write(_ content: Data, to name: String) throws {
        do {
            try DraftFile(in: path).replace("\(path)/\(name)", with: content)
        } catch let failure as SystemCallError {
            throw PrivateFolderError.notWritable(path: "\(path)/\(name)", detail: failure.detail)
        }
    }

    /// Whoever left them did not live to hold the lock.
    private func removeDrafts() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasSuffix(".draft") { unlink("\(path)/\(name)") }
    }
}

/// Why a private folder cannot be used.
package enum PrivateFolderError: IdentityFailure, Equatable {
    /// Another process has it.
    case inUse(path: String)
    /// Others could read or replace what is in it.
    case notPrivate(path: String, detail: String)
    /// A file cannot be read.
    case unreadable(path: String, detail: String)
    /// Nothing can be written.
    case notWritable(path: String, detail: String)

    /// Stable code.
    package var failureCode: String {
        switch self {
        case .inUse: "folder_in_use"
        case .notPrivate: "folder_not_private"
        case .unreadable: "folder_unreadable"
        case .notWritable: "folder_not_writable"
        }
    }

    /// Transient while another process has the folder.
    package var failureClass: FailureClass {
        if case .inUse = self { .transient } else { .definitive }
    }

    /// What happened and what to do.
    package var message: String {
        switch self {
        case .inUse(let path): "Another process uses \(path). End it, or name another folder."
        case .notPrivate(let path, let detail): "\(path) is not private: \(detail)."
        case .unreadable(let path, let detail): "\(path) cannot be read: \(detail)."
        case .notWritable(let path, let detail): "\(path) cannot be written: \(detail)."
        }
    }
}
