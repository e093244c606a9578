import Foundation
import IdentityStoreFormat

/// Recognizes folders on network file systems, where the kernel's locks may not exclude processes of other machines.
package enum NetworkFileSystem {
    /// The name of the network file system that holds `path`; `nil` for a local file system, and when the kind of file system
    /// is unknown.
    static func name(at path: String) -> String? {
        #if canImport(Darwin)
        // Do not use `statfs`: it also reports free space, and apps must declare every use of functions that do.
        let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.volumeIsLocalKey])
        return values?.volumeIsLocal == false ? "a network file system" : nil
        #else
        // Do not use Foundation: it reads only the first few kilobytes of a file in /proc.
        guard let mounts = try? FileContent(ofAnybody: "/proc/self/mounts").bytes else { return nil }
        return name(at: URL(fileURLWithPath: path).resolvingSymlinksInPath().path, mounts: mounts)
        #endif
    }

    private static let types: Set<String> = ["nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "fuse.sshfs"]

    /// The type of the network file system that holds `path`; `nil` for any other type.
    /// - Parameter mounts: the content of `/proc/self/mounts`. Each line begins with device, mount point and type.
    package static func name(at path: String, mounts: some Collection<UInt8>) -> String? {
        var deepest = (mountPoint: "", type: "")
        for line in mounts.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
            guard words.count > 2 else { continue }
            let mountPoint = decoded(words[1])
            // Of several mounts at the same mount point, only the last one is visible.
            if isInside(path, mountPoint), mountPoint.utf8.count >= deepest.mountPoint.utf8.count {
                deepest = (mountPoint, decoded(words[2]))
            }
        }
        return types.contains(deepest.type) ? deepest.type : nil
    }

    /// Decodes octal escapes of spaces, tabs, line feeds and backslashes.
    private static func decoded(_ word: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = Array(word)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            // The kernel escapes backslashes too, so three octal digits follow each backslash in the file.
            bytes.append(UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) ?? byte)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isInside(_ path: String, _ mountPoint: String) -> Bool {
        mountPoint == "/" || path == mountPoint || path.hasPrefix(mountPoint + "/")
    }
}
