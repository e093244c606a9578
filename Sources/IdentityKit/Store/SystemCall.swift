import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A failed system call, with the text of its error number.
struct SystemCallError: Error {
    let errorNumber: Int32

    static var current: SystemCallError { SystemCallError(errorNumber: errno) }

    var detail: String { String(cString: strerror(errorNumber)) }
    var isMissingFile: Bool { errorNumber == ENOENT }
    var isAlreadyThere: Bool { errorNumber == EEXIST }
    /// The disk, the quota or the process's limit is exhausted.
    var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(errorNumber) }

    /// What a failed write at `path` means for a store.
    func writeError(at path: String) -> TokenStoreError {
        isOutOfSpace ? .full(path: path) : .notWritable(path: path, detail: detail)
    }
}

// By module, because inside a type of this module the name means something else.

func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
