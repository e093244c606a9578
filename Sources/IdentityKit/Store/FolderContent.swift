import Foundation

/// Lists folders without `FileManager`, which on Linux treats a failed read as the end of the folder. The sessions in
/// the remaining files would then look signed out.
enum FolderContent {
    /// The names in the folder at `path`, in no particular order.
    /// - Throws: ``SystemCallError``, also when only some of them could be read.
    static func names(in path: String) throws(SystemCallError) -> [String] {
        var names: [String] = []
        try forEachName(in: path) { names.append(String(decoding: $0, as: UTF8.self)) }
        names.removeAll { $0 == "." || $0 == ".." }
        return names
    }

    /// The first `limit` of the names that end with `suffix`, without the suffix, in the order of their bytes. No strings
    /// are created for the other names, of which there may be a hundred thousand.
    /// - Parameters:
    ///   - position: the name, without the suffix, after which the result begins; `nil` to begin with the first name.
    ///   - limit: the largest number of names.
    /// - Throws: ``SystemCallError``, also when only some of the names could be read.
    static func names(
        in path: String, endingWith suffix: String, after position: String?, limit: Int
    ) throws(SystemCallError) -> [String] {
        let (ending, position) = (Array(suffix.utf8), position.map { Array($0.utf8) })
        var first: [[UInt8]] = []
        /// The last name that can still belong to the result; `nil` until names beyond the limit were removed.
        var end: [UInt8]?
        func cut() {
            first.sort { $0.lexicographicallyPrecedes($1) }
            guard first.count >= limit else { return }
            first.removeLast(first.count - limit)
            end = first.last
        }
        try forEachName(in: path) { bytes in
            guard bytes.count >= ending.count else { return }
            let name = UnsafeRawBufferPointer(rebasing: bytes.dropLast(ending.count))
            // Most names come after `end`, so check this first.
            if let end, !end.withUnsafeBytes({ name.precedes($0) }) { return }
            guard bytes.dropFirst(name.count).elementsEqual(ending) else { return }
            if let position, !position.withUnsafeBytes({ $0.precedes(name) }) { return }
            first.append(Array(name))
            if first.count / 2 > limit { cut() }
        }
        cut()
        return first.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func forEachName(
        in path: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemCallError) {
        guard let folder = opendir(path) else { throw .current }
        defer { closedir(folder) }
        while true {
            // Reset, because only the error number distinguishes the end of the folder from a failure.
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw .current }
                return
            }
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                let length = name.baseAddress.map { strnlen($0.assumingMemoryBound(to: CChar.self), name.count) }
                body(UnsafeRawBufferPointer(rebasing: name.prefix(length ?? 0)))
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes come before `other` in lexicographic order.
    fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress else { return count < other.count }
        let order = memcmp(start, otherStart, Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }
}
