import Foundation
import IdentityStoreFormat

/// How the records of a file store are protected. A folder keeps the protection it was created with, so that neither a
/// configuration nor an older program can lower it.
public struct StoreProtection: RawRepresentable, Hashable, Sendable, Codable {
    /// The stable name.
    public let rawValue: String

    /// Names a protection.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Only the file permissions: every program of the same user can read the tokens.
    public static let allowUnencryptedStorage = StoreProtection(rawValue: "none")
    /// Sealed with a key in a file outside the store.
    public static let keyFile = StoreProtection(rawValue: StoreTitle.keyFileProtection)
    /// Sealed with a key in the desktop's keyring.
    public static let secretService = StoreProtection(rawValue: "secret-service")
    /// Sealed with a key in Apple's Keychain.
    public static let keychain = StoreProtection(rawValue: "keychain")
}

/// The description of a store: the file `store.json`.
struct StoreDescription: Codable {
    /// Identifies the store where its key is kept.
    let identifier: String
    let protection: StoreProtection
    private let format: String
    private let version: Int

    private init(protection: StoreProtection) {
        format = StoreTitle.format
        version = StoreTitle.newestVersion
        identifier = UUID().uuidString.lowercased()
        self.protection = protection
    }

    /// Reads the description of `folder`; `nil` when there is no store yet.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func read(in folder: String) throws -> StoreDescription? {
        let path = "\(folder)/\(StoreTitle.file)"
        let content = try PrivateFile.readIfPresent(path) { TokenStoreError.unreadable(path: path, detail: $0) }
        guard let content else { return nil }
        if let version = (try? JSONValue(parsing: content))?["version"]?.integerValue,
            version > StoreTitle.newestVersion
        {
            throw TokenStoreError.tooNew(path: path, version: Int(version))
        }
        guard let description = try? JSONDecoder().decode(StoreDescription.self, from: content) else {
            throw TokenStoreError.corrupt(path: path, detail: "it does not describe a token store")
        }
        return description
    }

    /// The description of the store in `folder`, written now when there is none.
    /// - Throws: ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` when the store was created with another protection.
    static func establish(in folder: StoreFolder, protection: StoreProtection) throws -> StoreDescription {
        let existing = try read(in: folder.path)
        if existing == nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let proposal = try encoder.encode(StoreDescription(protection: protection))
            _ = try SystemCallError.asWriteError(at: folder.description) {
                try DraftFile(in: folder.drafts).create(folder.description, with: proposal)
            }
        }
        guard let description = try existing ?? read(in: folder.path) else {
            throw TokenStoreError.unreadable(path: folder.description, detail: "another process has removed it")
        }
        guard description.protection == protection else {
            throw TokenStoreError.insecure(
                path: folder.path,
                detail: "it was created with the protection \"\(description.protection.rawValue)\" and is opened "
                    + "with \"\(protection.rawValue)\". Use another folder to change the protection")
        }
        return description
    }
}
