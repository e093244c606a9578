/// Why a store could not answer or did not write. None of these means "nobody is signed in".
public enum TokenStoreError: IdentityFailure, Equatable {
    /// The store exists and cannot be read for now, for example before the device was first unlocked.
    case locked(detail: String)
    /// The record or the folder cannot be read.
    case unreadable(path: String, detail: String)
    /// The record was read and is not one.
    case corrupt(path: String, detail: String)
    /// Nothing can be written.
    case notWritable(path: String, detail: String)
    /// Others could read or replace what is stored.
    case insecure(path: String, detail: String)
    /// The record was written by a newer version of this library and is left alone.
    case tooNew(path: String, version: Int)
    /// Somebody else changed the record first; `current` is its generation now.
    case conflict(StoreKey, current: UInt64)
    /// Another writer held the record for longer than the deadline.
    case busy(path: String)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .locked: "store_locked"
        case .unreadable: "store_unreadable"
        case .corrupt: "store_corrupt"
        case .notWritable: "store_not_writable"
        case .insecure: "store_insecure"
        case .tooNew: "store_too_new"
        case .conflict: "store_conflict"
        case .busy: "store_busy"
        }
    }

    /// Transient for what passes by itself.
    public var failureClass: FailureClass {
        switch self {
        case .locked, .conflict, .busy: .transient
        case .unreadable, .corrupt, .notWritable, .insecure, .tooNew: .definitive
        }
    }

    /// What happened and what to do.
    public var message: String {
        switch self {
        case .locked(let detail):
            "The token store is locked: \(detail) Unlock the device and try again."
        case .unreadable(let path, let detail):
            "The token store cannot be read at \(path): \(detail). Check the folder's owner and permissions."
        case .corrupt(let path, let detail):
            "The stored record \(path) is damaged: \(detail). Move it away and sign in again."
        case .notWritable(let path, let detail):
            "The token store cannot be written at \(path): \(detail). Check the folder's permissions and free space."
        case .insecure(let path, let detail):
            "The token store at \(path) is not private: \(detail)."
        case .tooNew(let path, let version):
            "The stored record \(path) has format \(version), which is newer than this version understands. Update."
        case .conflict:
            "The stored session was changed by somebody else in the meantime. Try again."
        case .busy(let path):
            "Another process holds \(path) for too long. Try again, or end that process."
        }
    }
}
