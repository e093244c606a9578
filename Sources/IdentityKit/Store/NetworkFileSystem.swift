import Foundation

/// Recognizes folders on network file systems, where the kernel's locks may not exclude processes of other machines.
package enum NetworkFileSystem {
    /// The name of the network file system that holds `path`; `nil` for a local one, and when that is unknown.
    static func name(at path: String) -> String? {
        #if canImport(Darwin)
        // Not statfs: it also reports free space, and apps must declare why they use it.
        let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.volumeIsLocalKey])
        return values?.volumeIsLocal == false ? "a network file system" : nil
        #else
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return nil }
        return name(at: URL(fileURLWithPath: path).resolvingSymlinksInPath().path, mounts: mounts)
        #endif
    }

    private static let types: Set<String> = ["nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "fuse.sshfs"]

    /// Reads the table of mounts (proc_pid_mounts): device, mount point and type are the first words of a line.
    package static func name(at path: String, mounts: String) -> String? {
        var deepest = (mountPoint: "", type: "")
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 2 else { continue }
            let mountPoint = words[1].replacingOccurrences(of: "\\040", with: " ")
            // Of two mounts on one point the later one is visible.
            if isInside(path, mountPoint), mountPoint.count >= deepest.mountPoint.count {
                deepest = (mountPoint, words[2])
            }
        }
        return types.contains(deepest.type) ? deepest.type : nil
    }

    private static func isInside(_ path: String, _ mountPoint: String) -> Bool {
        mountPoint == "/" || path == mountPoint || path.hasPrefix(mountPoint + "/")
    }
}
