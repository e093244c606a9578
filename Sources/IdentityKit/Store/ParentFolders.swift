import Foundation

/// Checks whether other users can write to a folder above a private folder. Such a user cannot read the private folder,
/// but can move it away or replace it with an older copy.
package enum ParentFolders {
    /// The nearest folder above `path` that other users can write to, and the reason; `nil` when there is none. Folders
    /// whose mode cannot be read are skipped.
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

    /// Whether a group belongs to the current user only: the user's primary group, with the user's name and no other
    /// members. Many systems create such a group for each user.
    private static func isOwnGroup(_ group: gid_t) -> Bool {
        guard let person = getpwuid(geteuid())?.pointee, person.pw_gid == group, let entry = getgrgid(group)?.pointee,
            let members = entry.gr_mem
        else { return false }
        // Assume that a group with the user's name and no listed members is not the primary group of another user.
        return members.pointee == nil && strcmp(entry.gr_name, person.pw_name) == 0
    }
}
