/// Why a store could not answer or did not write. None of these means "nobody is signed in".
public enum TokenStoreError: IdentityFailure, Equatable {
    /// The store exists and cannot be read for now, for example before the device was first unlocked.
    case locked(detail: String)
    /// The key that opens the records cannot be had from its home.
    case keyUnavailable(home: String, detail: String)
    /// The record or the folder cannot be read.
    case unreadable(path: String, detail: String)
    /// The record was read and is not one.
    case corrupt(path: String, detail: String)
    /// Nothing can be written.
    case notWritable(path: String, detail: String)
    /// There is no space left to write. What is stored is untouched.
    case full(path: String)
    /// Others could read or replace what is stored.
    case insecure(path: String, detail: String)
    /// The record was written by a newer version of this library and is left alone.
    case tooNew(path: String, version: Int)
    /// Somebody else changed the record first; `current` is its generation now.
    case conflict(StoreKey, current: UInt64)
    /// Another writer held the record for longer than the deadline.
    case busy(path: String)
    /// The configuration names something that this system does not have.
    case unsupported(detail: String)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .locked: "store_locked"
        case .keyUnavailable: "store_key_unavailable"
        case .unreadable: "store_unreadable"
        case .corrupt: "store_corrupt"
        case .notWritable: "store_not_writable"
        case .full: "store_full"
        case .insecure: "store_insecure"
        case .tooNew: "store_too_new"
        case .conflict: "store_conflict"
        case .busy: "store_busy"
        case .unsupported: "store_unsupported"
        }
    }

    /// Transient for what passes by itself or once the person has made room or unlocked something.
    public var failureClass: FailureClass {
        switch self {
        case .locked, .keyUnavailable, .full, .conflict, .busy: .transient
        case .unreadable, .corrupt, .notWritable, .insecure, .tooNew, .unsupported: .definitive
        }
    }

    /// What happened and what to do.
    public var message: String {
        switch self {
        case .locked(let detail):
            "The token store is locked: \(detail) Unlock the device and try again."
        case .keyUnavailable(let home, let detail):
            "The key of the token store cannot be had from \(home): \(detail)."
        case .unreadable(let path, let detail):
            "The token store cannot be read at \(path): \(detail). Check who owns it and who may read it."
        case .corrupt(let path, let detail):
            "The stored record \(path) is damaged: \(detail). Sign in again; the damaged record is then set aside."
        case .notWritable(let path, let detail):
            "The token store cannot be written at \(path): \(detail). Check who may write it."
        case .full(let path):
            "There is no space left to write \(path). Make room and try again; nothing was lost."
        case .insecure(let path, let detail):
            "The token store at \(path) is not private: \(detail)."
        case .tooNew(let path, let version):
            "The stored record \(path) has format \(version), which is newer than this version understands. Update."
        case .conflict:
            "The stored session was changed by somebody else in the meantime. Try again."
        case .busy(let path):
            "Another process holds \(path) for too long. Try again, or end that process."
        case .unsupported(let detail):
            "The configured token store cannot be used here: \(detail)."
        }
    }
}
