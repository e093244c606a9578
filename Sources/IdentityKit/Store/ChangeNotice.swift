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
final class ChangeNotice: Sendable {
    /// Word 0 changes with every record; the others are shared by the records whose hash falls on them.
    static let wordCount = 512

    private static let size = wordCount * MemoryLayout<UInt64>.stride

    /// The mapped words.
    ///
    /// Unchecked is sound: the mapping lives as long as this object, and within this process the words are touched only
    /// while the lock is held. Other processes store whole aligned words, which the processor does not tear.
    private struct Words: @unchecked Sendable {
        let start: UnsafeMutablePointer<UInt64>
    }

    private let words: Locked<Words>
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
        guard descriptor >= 0 else { throw SystemCallFailure.current }
        defer { close(descriptor) }
        var status = stat()
        guard fchmod(descriptor, 0o600) == 0, fstat(descriptor, &status) == 0 else { throw SystemCallFailure.current }
        // Never shortened: a word of a mapping beyond the file's end would kill the process.
        if status.st_size < Self.size {
            guard uninterrupted({ ftruncate(descriptor, off_t(Self.size)) }) == 0 else {
                throw SystemCallFailure.current
            }
        }
        guard let mapping = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            mapping != MAP_FAILED
        else { throw SystemCallFailure.current }
        words = Locked(Words(start: mapping.bindMemory(to: UInt64.self, capacity: Self.wordCount)))
        file = FileIdentity(status)
    }

    deinit {
        words.withLock { _ = munmap($0.start, Self.size) }
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

    /// Tells readers to read until ``endChange(at:)``.
    func beginChange(at index: Int) {
        words.withLock { $0.start[index] = 0 }
    }

    func endChange(at index: Int) {
        words.withLock { words in
            words.start[index] = .random(in: 1...UInt64.max)
            words.start[0] = .random(in: 1...UInt64.max)
        }
    }
}
