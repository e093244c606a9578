import Foundation

struct SystemCallError: Error {
    let errorNumber: Int32

    static var current: SystemCallError { SystemCallError(errorNumber: errno) }

    var detail: String { String(cString: strerror(errorNumber)) }
    var isMissingFile: Bool { errorNumber == ENOENT }
    var isAlreadyThere: Bool { errorNumber == EEXIST }
    /// Whether the disk, the quota or the process's limit is exhausted.
    var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(errorNumber) }

    /// Runs `body`, and turns a failed system call into a store's error about writing at `path`.
    static func asWriteError<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SystemCallError {
            throw failure.isOutOfSpace
                ? TokenStoreError.full(path: path) : .notWritable(path: path, detail: failure.detail)
        }
    }
}
