/// Checks that a file or a folder is private: the current user owns it, and its mode excludes other users. A
/// configuration need only be safe from changes by other users.
package enum Privacy {
    /// The reason why the folder at `path` is not safe for secrets; `nil` when the folder is safe.
    /// - Throws: ``FileContent/ReadError/system(_:)``.
    package static func weakness(ofFolder path: String) throws(FileContent.ReadError) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(errno) }
        if status.st_mode & S_IFMT == S_IFLNK { return "it is a symbolic link" }
        if status.st_mode & S_IFMT != S_IFDIR { return "it is not a folder" }
        return weakness(of: status, mode: "0700")
    }

    static func weakness(ofConfiguration status: stat) -> String? {
        if status.st_uid != 0, status.st_uid != geteuid() { return "it belongs to another user" }
        return status.st_mode & 0o022 == 0 ? nil : othersCanWrite
    }

    /// The reason for refusing a configuration that other users can write. Callers recognize this reason, because the
    /// owner of the file can correct it with `chmod`.
    package static let othersCanWrite = "other users can write it"

    static func weakness(of status: stat, mode: String) -> String? {
        if status.st_uid != geteuid() { return "it belongs to another user" }
        if status.st_mode & 0o077 != 0 { return "other users can open it; its mode must be \(mode)" }
        return nil
    }
}
