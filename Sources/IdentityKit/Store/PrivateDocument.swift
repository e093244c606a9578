import Foundation

/// Writes files that only their owner can open. Each write is atomic: after a crash or on a full disk, there is the old
/// file or the complete new one. A missing folder is created with mode 0700, and an existing folder is not changed.
package enum PrivateDocument {
    /// Writes a file at the absolute `path`, unless there is one already.
    /// - Returns: whether the file was written.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. After an error no file is left behind, unless only
    ///   flushing its folder has failed.
    package static func create(_ content: Data, at path: String) throws -> Bool {
        try draft(path) { try $0.create(path, with: content) }
    }

    /// Writes the file at the absolute `path`, and replaces an existing file or symbolic link.
    /// - Throws: ``PrivateFolderError/notWritable(path:detail:)``. After an error an existing file is unchanged.
    package static func replace(_ content: Data, at path: String) throws {
        var status = stat()
        // Never replace a device, a pipe or a socket.
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
