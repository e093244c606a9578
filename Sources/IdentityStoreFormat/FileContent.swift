package struct FileContent {
    /// Limit of a file in bytes: 16 MiB, which is more than any configuration or record needs.
    package static let maximumSize = 16 << 20

    package let bytes: [UInt8]

    package enum ReadError: Error {
        /// A system call failed with this error number, or the file exceeds ``maximumSize`` (`EFBIG`).
        case system(Int32)
        /// Other users could read or replace the file, or it is not a regular file. The text contains the reason.
        case insecure(String)
    }

    package init(ofAnybody path: String) throws(ReadError) {
        try self.init(path, flags: 0) { _ in nil }
    }

    /// Reads a configuration file that belongs to the current user or to root, and that no other user can write.
    package init(ofConfiguration path: String) throws(ReadError) {
        try self.init(path, flags: 0, weakness: Privacy.weakness(ofConfiguration:))
    }

    /// Reads a file that only the current user can open.
    package init(ofOwner path: String) throws(ReadError) {
        try self.init(path, flags: O_NOFOLLOW) { Privacy.weakness(of: $0, mode: "0600") }
    }

    private init(_ path: String, flags: Int32, weakness: (stat) -> String?) throws(ReadError) {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags) }
        guard descriptor >= 0 else { throw errno == ELOOP ? .insecure("it is a symbolic link") : .system(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .insecure("it is not a file") }
        if let weakness = weakness(status) { throw .insecure(weakness) }
        bytes = try Self.readAll(descriptor, expecting: Int(status.st_size))
    }

    private static func readAll(_ descriptor: Int32, expecting size: Int) throws(ReadError) -> [UInt8] {
        guard size <= maximumSize else { throw .system(EFBIG) }
        // Read one byte more than expected, so that one call usually also finds the end. A size of 0 counts as unknown,
        // because the kernel reports 0 for files that it generates, as in /proc.
        let isKnown = size > 0
        var content = [UInt8](repeating: 0, count: isKnown ? size + 1 : 4096)
        var end = 0
        while true {
            let count = content.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { read(descriptor, $0 + end, bytes.count - end) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .system(errno) }
            end += count
            guard end <= maximumSize else { throw .system(EFBIG) }
            // Fewer bytes than requested mean the end only after the expected size has been read.
            if count == 0 || (isKnown && end >= size && end < content.count) {
                content.removeLast(content.count - end)
                return content
            }
            guard end == content.count else { continue }
            content.append(contentsOf: repeatElement(0, count: content.count))
        }
    }
}
