import Foundation
import CIdentitySystem
import IdentityStoreFormat

/// The file `notice`: 64-bit words that all processes that use the store map into their memory. A writer changes the
/// word of the record that it replaces, so a reader finds out without a system call that a record is unchanged.
///
/// A word is zero before the first write of its record, while the record is being replaced, and after a writer has died during
/// the replacement. As long as a word is zero, readers read the record. Any other word is a random number, so writers need no
/// atomic increment, and a value hardly ever comes back. The words are hints, and never replace a record's content.
///
/// On a full disk, storing to mapped memory ends the process when the file system has to allocate the page. So the file
/// is allocated before it is mapped, and words are changed by writing to the file. A failed write only returns an error.
final class ChangeNotice: Sendable {
    /// Number of words. Word 0 changes with every write of any record. Several records may share one of the other words.
    static let wordCount = 512

    private static let size = wordCount * MemoryLayout<UInt64>.stride

    /// The mapped words.
    ///
    /// Unchecked conformance is sound: the mapping lives as long as its ``ChangeNotice``, this process does not store to it,
    /// and words are loaded atomically. Even a half-written word would only be a new value, which shows a change.
    struct Words: @unchecked Sendable {
        let start: UnsafePointer<UInt64>
    }

    let words: Words
    /// Number of threads that wait for a change of a word.
    let waiterCount = Locked(0)
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

    /// Maps the file at `path`.
    /// - Parameter creates: whether to create a missing file.
    /// - Throws: ``SystemCallError``.
    init(path: String, creates: Bool = true) throws {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (creates ? O_CREAT : 0)
        let descriptor = uninterrupted { open(path, flags, 0o600) }
        guard descriptor >= 0 else { throw SystemCallError.current }
        defer { close(descriptor) }
        var status = stat()
        guard fchmod(descriptor, 0o600) == 0, fstat(descriptor, &status) == 0 else { throw SystemCallError.current }
        // Never shorten the file: reading a mapping beyond the file's end crashes the process.
        try Self.fill(descriptor, from: status.st_blocks == 0 ? 0 : Int(status.st_size))
        guard let mapping = mmap(nil, Self.size, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED else {
            throw SystemCallError.current
        }
        words = Words(start: mapping.bindMemory(to: UInt64.self, capacity: Self.wordCount))
        self.path = path
        file = FileIdentity(status)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: words.start), Self.size)
    }

    /// Allocates the rest of the file by writing zeros from `start` on. A word that another process has just changed there
    /// may become zero, which means unknown.
    private static func fill(_ descriptor: Int32, from start: Int) throws {
        var position = start
        while position < size {
            let zeros = [UInt8](repeating: 0, count: size - position)
            let count = uninterrupted { pwrite(descriptor, zeros, zeros.count, off_t(position)) }
            guard count > 0 else { throw SystemCallError.current }
            position += count
        }
    }

    /// Whether the file at `path` is still the mapped one. When it was removed, other processes use a new one.
    func isMapping(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && FileIdentity(status) == file
    }

    /// The index of a record's word, which is at least 1, by the hash of the record's name.
    static func index(ofHash hash: String) -> Int {
        let number = hash.prefix(8).reduce(0) { $0 << 4 | ($1.hexDigitValue ?? 0) }
        return 1 + number % (wordCount - 1)
    }

    func word(at index: Int) -> UInt64 {
        memory_load(words.start + index)
    }

    var snapshot: [UInt64] {
        (0..<Self.wordCount).map(word(at:))
    }

    /// Runs `change`, which replaces a record whose word has this index. The word is zero meanwhile, and random
    /// afterwards.
    func changing<Result>(at index: Int, _ change: () throws -> Result) rethrows -> Result {
        let descriptor = uninterrupted { open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
        Self.set(0, at: index, in: descriptor)
        // Change the word even after a failure, which may have replaced the record.
        defer {
            Self.set(.random(in: 1...UInt64.max), at: index, in: descriptor)
            Self.set(.random(in: 1...UInt64.max), at: 0, in: descriptor)
            close(descriptor)
            wake(at: index)
        }
        return try change()
    }

    /// Writes a word to the file. A failure is ignored, because other processes read a record again after half a minute at
    /// the latest.
    private static func set(_ word: UInt64, at index: Int, in descriptor: Int32) {
        var word = word
        let width = MemoryLayout<UInt64>.stride
        _ = uninterrupted { pwrite(descriptor, &word, width, off_t(index * width)) }
    }
}
