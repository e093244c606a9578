import Foundation

/// A file that only its owner can open, written atomically: after a crash or on a full disk it is unchanged. A missing
/// folder is created for the owner alone; an existing one stays as it is.
package enum PrivateDocument {
    /// Writes a file at the absolute `path`, unless there is one already.
    /// - Returns: whether the file was written.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. No file is left behind then.
    package static func create(_ content: Data, at path: String) throws -> Bool {
        try draft(path) { try $0.create(path, with: content) }
    }

    /// Writes the file at the absolute `path`, and replaces an existing one.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. An existing file is unchanged then.
    package static func replace(_ content: Data, at path: String) throws {
        var status = stat()
        // A device must not be replaced.
        if lstat(path, &status) == 0, ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT) {
            throw PrivateFolderError.notWritable(path: path, detail: "it is not a file")
        }
        _ = try draft(path) { try $0.replace(path, with: content) }
    }

    private static func draft<Result>(_ path: String, _ write: (TemporaryFile) throws -> Result) throws -> Result {
        do {
            let folder = StorePath.folder(of: path)
            try PrivateFile.createFolder(at: folder)
            return try write(TemporaryFile(in: folder))
        } catch let failure as SystemCallError {
            throw PrivateFolderError.notWritable(path: path, detail: failure.detail)
        }
    }
}
