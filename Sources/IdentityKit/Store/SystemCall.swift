import Foundation

struct SystemCallError: Error {
    let errorNumber: Int32

    static var current: SystemCallError { SystemCallError(errorNumber: errno) }

    var detail: String { String(cString: strerror(errorNumber)) }
    var isMissingFile: Bool { errorNumber == ENOENT }
    var isAlreadyThere: Bool { errorNumber == EEXIST }
    /// Whether the file system does not support the call. Network file systems and FUSE return each of these numbers.
    var isUnsupported: Bool { [ENOTSUP, ENOTTY, EINVAL].contains(errorNumber) }
    /// Whether the disk is full, the user's quota is used up, or the file would be larger than the system allows.
    var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(errorNumber) }

    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    private static let hasDataProtection = true
    #else
    private static let hasDataProtection = false
    #endif

    /// The store's error for a file that Data Protection keeps closed because the device is locked; `nil` for another
    /// failure.
    func lockedDevice(hasDataProtection: Bool = Self.hasDataProtection) -> TokenStoreError? {
        guard errorNumber == EPERM, hasDataProtection else { return nil }
        return .locked(detail: "the system keeps the files of a locked device closed.")
    }

    /// Runs `body`, and converts its ``SystemCallError`` to a store's error for a failed write to `path`.
    /// - Throws: ``lockedDevice(hasDataProtection:)``, ``/IdentityCore/TokenStoreError/full(path:)`` if
    ///   ``isOutOfSpace``, or else ``/IdentityCore/TokenStoreError/notWritable(path:detail:)``. Other errors of `body` are
    ///   not converted.
    static func asWriteError<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SystemCallError {
            if let locked = failure.lockedDevice() { throw locked }
            throw failure.isOutOfSpace
                ? TokenStoreError.full(path: path) : .notWritable(path: path, detail: failure.detail)
        }
    }
}
