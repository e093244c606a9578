#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What makes a file or a folder ours alone: we own it, and its mode keeps everybody else out.
package enum Privacy {
    /// Why the folder at `path` is not safe to keep secrets in; `nil` when it is.
    /// - Throws: ``FileContent/ReadError/system(_:)`` when that cannot be known.
    package static func weakness(ofFolder path: String) throws(FileContent.ReadError) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(errno) }
        if status.st_mode & S_IFMT == S_IFLNK { return "it is a symbolic link" }
        if status.st_mode & S_IFMT != S_IFDIR { return "it is not a folder" }
        return weakness(of: status, mode: "0700")
    }

    static func weakness(of status: stat, mode: String) -> String? {
        if status.st_uid != geteuid() { return "it belongs to another user" }
        if status.st_mode & 0o077 != 0 { return "other users can open it; its mode must be \(mode)" }
        return nil
    }
}
