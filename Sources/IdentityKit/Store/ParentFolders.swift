import Foundation

/// Checks the folders above a private one. A user who can write to one of them can move the private folder away or
/// restore an older copy of it, although without reading it.
package enum ParentFolders {
    /// The nearest folder above `path` that other users can write, and why; `nil` when there is none.
    package static func weakness(above path: String) -> (folder: String, detail: String)? {
        var folder = path
        if let resolved = realpath(path, nil) {
            folder = String(cString: resolved)
            free(resolved)
        }
        while folder != "/", folder != "." {
            folder = StorePath.folder(of: folder)
            if let detail = weakness(of: folder) { return (folder, detail) }
        }
        return nil
    }

    private static func weakness(of folder: String) -> String? {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        if status.st_uid != 0, status.st_uid != geteuid() { return "it belongs to another user" }
        // With the sticky bit, as in /tmp, users can move only their own files.
        guard status.st_mode & S_ISVTX == 0 else { return nil }
        if status.st_mode & S_IWOTH != 0 { return "everybody can write it" }
        if status.st_mode & S_IWGRP != 0, !isOwnGroup(status.st_gid) { return "its group can write it" }
        return nil
    }

    /// Whether the current user is the only member of a group. Many systems have a group for each user.
    private static func isOwnGroup(_ group: gid_t) -> Bool {
        guard let person = getpwuid(geteuid())?.pointee, person.pw_gid == group, let entry = getgrgid(group)?.pointee,
            let members = entry.gr_mem
        else { return false }
        // A group with the user's name and without further members is no other user's primary group.
        return members.pointee == nil && strcmp(entry.gr_name, person.pw_name) == 0
    }
}
