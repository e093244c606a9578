import Foundation
import IdentityStoreFormat

/// How the records of a file store are protected. A folder keeps the protection it was created with, so that neither a
/// configuration nor an older program can lower it.
package struct StoreProtection: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// File permissions only: every program of the same user can read the tokens.
    package static let allowUnencryptedStorage = StoreProtection(rawValue: "none")
    /// Encrypted with a key in a file outside of the store.
    package static let keyFile = StoreProtection(rawValue: StoreTitle.keyFileProtection)
    /// Encrypted with a key in the desktop's keyring.
    package static let secretService = StoreProtection(rawValue: "secret-service")
    /// Encrypted with a key in Apple's Keychain.
    package static let keychain = StoreProtection(rawValue: "keychain")
    /// Encrypted with a key that a configuration cannot name, such as that of a key management service.
    static let ownKey = StoreProtection(rawValue: "own-key")
}

/// The description of a file store, in the file `store.json`. A copy with a digest serves to detect and repair damage
/// of that file. A version of this library that changes the description has to replace both files.
struct StoreDescription: Codable, Equatable {
    /// Identifier of the store, under which its key is kept.
    let identifier: String
    let protection: StoreProtection
    private let format: String
    private let version: Int

    /// Name of the file with the copy and its digest.
    static let copy = "store.copy"

    private init(protection: StoreProtection) {
        format = StoreTitle.format
        version = StoreTitle.newestVersion
        identifier = UUID().uuidString.lowercased()
        self.protection = protection
    }

    private init(_ content: Data, path: String) throws {
        if let version = (try? JSONValue(parsing: content))?["version"]?.integerValue,
            version > StoreTitle.newestVersion
        {
            throw TokenStoreError.tooNew(path: path, version: Int(version))
        }
        guard let description = try? JSONDecoder().decode(StoreDescription.self, from: content) else {
            throw TokenStoreError.corrupt(path: path, detail: "it does not describe a token store")
        }
        self = description
    }

    /// Reads the description of `folder`; `nil` when there is no store yet.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func read(in folder: String) throws -> StoreDescription? { try Contents(folder).description }

    /// Whether `store.json` is damaged or missing, and its copy is intact. Opening the store then restores the file.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when `store.json` cannot be read.
    static func isMendable(in folder: String) throws -> Bool { try Contents(folder).toRestore != nil }

    /// The description of the store in `folder`. Writes a new description if there is none, and restores a damaged one.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` when
    ///   the store was created with another protection.
    static func establish(in folder: StoreFolder, protection: StoreProtection) throws -> StoreDescription {
        var contents = try Contents(folder.path)
        if contents.isEmpty {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let proposal = try encoder.encode(StoreDescription(protection: protection))
            _ = try SystemCallError.asWriteError(at: folder.description) {
                try TemporaryFile(in: folder.drafts).create(folder.description, with: proposal)
            }
            contents = try Contents(folder.path)
        }
        guard let description = try contents.description else {
            throw TokenStoreError.unreadable(path: folder.description, detail: "another process has removed it")
        }
        guard description.protection == protection else {
            throw TokenStoreError.insecure(
                path: folder.path,
                detail: "it was created with the protection \"\(description.protection.rawValue)\" and is opened "
                    + "with \"\(protection.rawValue)\". Use another folder to change the protection")
        }
        // Ignore a failure, because a store that cannot be written can still be read.
        try? contents.mend(folder)
        return description
    }

    /// The contents of `store.json` and of its copy.
    private struct Contents {
        private let path: String
        private let own: Data?
        /// The content of the copy; `nil` unless its digest matches.
        private let copied: Data?

        init(_ folder: String) throws {
            let path = "\(folder)/\(StoreTitle.file)"
            self.path = path
            own = try PrivateFile.readIfPresent(path) { TokenStoreError.unreadable(path: path, detail: $0) }
            let copy = try? PrivateFile.read("\(folder)/\(StoreDescription.copy)")
            copied = copy.flatMap { try? RecordEnvelope(opening: Array($0)) }.map { Data($0.document) }
        }

        var isEmpty: Bool { own == nil && copied == nil }

        var description: StoreDescription? {
            get throws {
                guard let content = toRestore ?? own else { return nil }
                return try StoreDescription(content, path: path)
            }
        }

        /// The content to restore to `store.json`; `nil` without an intact copy, and when both files have the same
        /// description.
        var toRestore: Data? {
            guard let copied, copied != own, let right = try? StoreDescription(copied, path: path) else { return nil }
            // Compare only the members that this version reads, because a later version may have added members.
            return own.flatMap { try? StoreDescription($0, path: path) } == right ? nil : copied
        }

        func mend(_ folder: StoreFolder) throws {
            if let toRestore {
                try TemporaryFile(in: folder.drafts).replace(folder.description, with: toRestore)
            } else if copied == nil, let own {
                let copy = RecordEnvelope(around: Array(own)).bytes
                try TemporaryFile(in: folder.drafts).replace(folder.copy, with: Data(copy))
            }
        }
    }
}
