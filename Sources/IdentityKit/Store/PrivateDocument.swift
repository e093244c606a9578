import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that only its owner can open, there whole or not at all: after a crash or on a full disk it is what it was
/// before. A folder that it needs and that is missing is created for the owner alone; one that is there stays as it is.
package enum PrivateDocument {
    /// Writes a file at the absolute `path`, unless there is something already.
    /// - Returns: whether the file is the one that was written now.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. Nothing is left behind then.
    package static func create(_ content: Data, at path: String) throws -> Bool {
        try draft(path) { try $0.create(path, with: content) }
    }

    /// Writes the file at the absolute `path`, in the place of one that is there.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. What was there before is still there then.
    package static func replace(_ content: Data, at path: String) throws {
        var status = stat()
        // A device in its place would be gone for everybody.
        if lstat(path, &status) == 0, ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw PrivateFolderError.notWritable(path: path, detail: "it is not a file")
        }
        try draft(path) { try $0.replace(path, with: content) }
    }

    private static func draft<Result>(_ path: String, _ write: (DraftFile) throws -> Result) throws -> Result {
        do {
            let folder = StorePath.folder(of: path)
            try PrivateFile.createFolder(at: folder)
            return try write(DraftFile(in: folder))
        } catch let failure as SystemCallError {
            throw PrivateFolderError.notWritable(path: path, detail: failure.detail)
        }
    }
}
