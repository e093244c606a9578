import Foundation
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file `notice`: words in memory shared by all processes that use a store. Whoever replaces a record changes the
/// record's word, so a reader learns from one look that nothing has changed since.
///
/// A word is zero while its record is being replaced, and stays so when the writer dies in between: then readers read.
/// Otherwise it is a random number, so that two writers need no atomic increment and no value comes back. The words are
/// hints that make reading unnecessary; they never stand for a record's content.
///
/// On a disk without space a store to mapped memory ends the process where the file system has to find room for the page
/// first. So the file has its space before it is mapped, and words are changed by writing to the file, which at worst fails.
final class ChangeNotice: Sendable {
    /// Word 0 changes with every record; the others are shared by the records whose hash falls on them.
    static let wordCount = 512

    private static let size = wordCount * MemoryLayout<UInt64>.stride

    /// The mapped words.
    ///
    /// Unchecked is sound: the mapping lives as long as this object, and nobody stores to it. What this and other processes
    /// write to the file are whole aligned words, and half a word would be a value that no reader knows.
    private struct Words: @unchecked Sendable {
        let start: UnsafePointer<UInt64>
    }

    private let words: Locked<Words>
    private let path: String
    private let file: FileIdentity

    private struct FileIdentity: Sendable, Equatable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    /// Maps the file at `path`, which is created when missing.
    init(path: String) throws {
        let descriptor = uninterrupted { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw SystemCallError.current }
        defer { close(descriptor) }
        var status = stat()
        guard fchmod(descriptor, 0o600) == 0, fstat(descriptor, &status) == 0 else { throw SystemCallError.current }
        // Never shortened: a word of a mapping beyond the file's end would kill the process.
        try Self.fill(descriptor, from: status.st_blocks == 0 ? 0 : Int(status.st_size))
        guard let mapping = mmap(nil, Self.size, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED else {
            throw SystemCallError.current
        }
        words = Locked(Words(start: mapping.bindMemory(to: UInt64.self, capacity: Self.wordCount)))
        self.path = path
        file = FileIdentity(status)
    }

    deinit {
        words.withLock { _ = munmap(UnsafeMutableRawPointer(mutating: $0.start), Self.size) }
    }

    /// Writes zeros to the end of the file, so that it is no hole. Where somebody else has just changed a word, the word is
    /// zero until the next change, and readers read.
    private static func fill(_ descriptor: Int32, from start: Int) throws {
        var position = start
        while position < size {
            let zeros = [UInt8](repeating: 0, count: size - position)
            let count = uninterrupted { pwrite(descriptor, zeros, zeros.count, off_t(position)) }
            guard count > 0 else { throw SystemCallError.current }
            position += count
        }
    }

    /// Whether the file at `path` is still the mapped one. A cleaner may have removed it; others then use a new one.
    func isMapping(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && FileIdentity(status) == file
    }

    /// The word of a record, by the hash of its name.
    static func index(ofHash hash: String) -> Int {
        let number = hash.prefix(8).reduce(0) { $0 << 4 | ($1.hexDigitValue ?? 0) }
        return 1 + number % (wordCount - 1)
    }

    func word(at index: Int) -> UInt64 {
        words.withLock { $0.start[index] }
    }

    /// All words at once.
    var snapshot: [UInt64] {
        words.withLock { words in (0..<Self.wordCount).map { words.start[$0] } }
    }

    /// Runs `change`, which replaces a record of this word. Readers read until it is over.
    func changing<Result>(at index: Int, _ change: () throws -> Result) rethrows -> Result {
        let descriptor = uninterrupted { open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
        Self.set(0, at: index, in: descriptor)
        // Also after a failure: whether the record was replaced is for the reader to find out.
        defer {
            Self.set(.random(in: 1...UInt64.max), at: index, in: descriptor)
            Self.set(.random(in: 1...UInt64.max), at: 0, in: descriptor)
            close(descriptor)
        }
        return try change()
    }

    /// A word that cannot be written is a hint that is not given: others rely on what they read for half a minute at most.
    private static func set(_ word: UInt64, at index: Int, in descriptor: Int32) {
        var word = word
        let width = MemoryLayout<UInt64>.stride
        _ = uninterrupted { pwrite(descriptor, &word, width, off_t(index * width)) }
    }
}
