/// The reason why a store could not be read or written. None of these errors says that nobody is signed in.
///
/// The class is ``FailureClass/transient`` when trying again later may succeed, such as after the device is unlocked or the
/// disk has space.
public enum TokenStoreError: StatedFailure, Equatable {
    /// The store exists but cannot be read now, for example before the first unlock of the device.
    case locked(detail: String)
    /// The key that decrypts the records is missing in its `home`, such as the Keychain, or cannot be read there.
    case keyUnavailable(home: String, detail: String)
    /// The record was encrypted with a key that the store does not have.
    case sealedWithOtherKey(path: String, home: String)
    /// The record or the folder cannot be read, for example because another user owns it.
    case unreadable(path: String, detail: String)
    /// The record is damaged. A new sign-in or a sign-out sets it aside with ``TokenStore/quarantine(_:)``, unless it is the
    /// description of the store, the file `store.json`.
    case corrupt(path: String, detail: String)
    case notWritable(path: String, detail: String)
    /// There is no space left to write. The stored records are unchanged.
    case full(path: String)
    /// The tokens of a session exceed the size limit of a record; `size` and `limit` are bytes. The stored record is
    /// unchanged.
    case tooLarge(size: Int, limit: Int)
    /// The store is less protected than it has to be, for example because other users could read or replace its
    /// records.
    case insecure(path: String, detail: String)
    /// The record was written by a newer version of this library and is not changed.
    case tooNew(path: String, version: Int)
    /// The record has changed since it was read; `current` is its generation now.
    case conflict(StoreKey, current: UInt64)
    /// The lock or the lease of the record was not free within the time that the caller waits for it.
    case busy(path: String)
    /// The store's server cannot be reached, or does not respond. A write that failed with this error may have taken
    /// effect.
    case unavailable(place: String, detail: String)
    /// The configured store, or an operation on it, is not available on this system or with this configuration.
    case unsupported(detail: String)

    package var facts: FailureFacts {
        switch self {
        case .locked(let detail):
            .transient("store_locked", "The token store is locked: \(detail) Unlock the device and try again.")
        case .keyUnavailable(let home, let detail):
            .transient("store_key_unavailable", "The key of the token store is not available from \(home): \(detail).")
        case .sealedWithOtherKey(let path, let home):
            .transient(
                "store_sealed_with_other_key",
                "The stored record \(path) was sealed with a key that \(home) does not hold. Add the key, or sign in again."
            )
        case .unreadable(let path, let detail):
            .definitive(
                "store_unreadable",
                "The token store cannot be read at \(path): \(detail). Check who owns it and who may read it.")
        case .corrupt(let path, let detail) where isAboutDescription:
            .definitive(
                "store_corrupt",
                "The stored record \(path) is damaged: \(detail). No sign-in repairs it; identity doctor says what does."
            )
        case .corrupt(let path, let detail):
            .definitive(
                "store_corrupt",
                "The stored record \(path) is damaged: \(detail). Sign in again; the damaged record is then set aside.")
        case .notWritable(let path, let detail):
            .definitive(
                "store_not_writable",
                "The token store cannot be written at \(path): \(detail). Check who may write it.")
        case .full(let path):
            .transient(
                "store_full", "There is no space left to write \(path). Make room and try again; nothing was lost.")
        case .tooLarge(let size, let limit):
            .definitive(
                "store_record_too_large",
                "The tokens of the session need \(size) bytes, and a record has at most \(limit). "
                    + "Make the server issue smaller tokens, for example with fewer groups or claims.")
        case .insecure(let path, let detail):
            .definitive("store_insecure", "The token store at \(path) is not private: \(detail).")
        case .tooNew(let path, let version):
            .definitive(
                "store_too_new",
                "The stored record \(path) has format \(version), which is newer than this version understands. Update."
            )
        case .conflict:
            .transient("store_conflict", "Another task or process has changed the stored session meanwhile. Try again.")
        case .busy(let path):
            .transient("store_busy", "Another process has held \(path) for too long. Try again, or end that process.")
        case .unavailable(let place, let detail):
            .transient(
                "store_unavailable", "The token store's server \(place) cannot be reached: \(detail). Try again.")
        case .unsupported(let detail):
            .definitive("store_unsupported", "The configured token store cannot be used here: \(detail).")
        }
    }
}

extension TokenStoreError {
    /// Whether the store's key is unavailable. In this case a sign-out erases the record without reading it.
    package var isAboutKey: Bool {
        if case .keyUnavailable = self { true } else { false }
    }

    /// Whether `store.json`, the description of a file store, is damaged. No record of the store can then be used.
    package var isAboutDescription: Bool {
        if case .corrupt(let path, _) = self { path.hasSuffix("/store.json") } else { false }
    }

    /// Whether the record's content is unusable, so that a new sign-in or a sign-out may set it aside.
    package var isAboutContent: Bool {
        switch self {
        case .corrupt, .sealedWithOtherKey: true
        default: false
        }
    }
}
