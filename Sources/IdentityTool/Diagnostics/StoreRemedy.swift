import Foundation
import IdentityKit
import IdentityStoreFormat

/// Finds the command or advice that repairs a store after an error. No command deletes anything: a damaged store or
/// file is only moved aside.
struct StoreRemedy {
    let configuration: StoreConfiguration
    let call: ToolCall

    func fix(for error: any Error) -> String? {
        guard let error = error as? TokenStoreError else { return nil }
        if let permission = Self.permission(error.path) { return permission }
        return switch error {
        // Move the store aside only if the key is in a file. A key in a keyring may merely be locked.
        case .keyUnavailable(let home, _) where home.hasPrefix("/"): restoreKey(in: home)
        case .corrupt(let path, _) where error.isAboutDescription: replaceDescription(path)
        case _ where error.failureClass == .transient: "Try again: identity doctor"
        default: nil
        }
    }

    /// Returns the command that makes the current user the owner of `path`, or makes `path` accessible to this user
    /// only. Returns `nil` if no command is needed, if `path` is not absolute, if its attributes cannot be read, or if
    /// it is neither a regular file nor a folder.
    static func permission(_ path: String?) -> String? {
        guard let path, path.hasPrefix("/"),
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue,
            let owner = (attributes[.ownerAccountID] as? NSNumber)?.intValue
        else { return nil }
        let right: Int
        switch attributes[.type] as? FileAttributeType {
        case .typeDirectory: right = 0o700
        case .typeRegular: right = 0o600
        default: return nil
        }
        guard owner == Int(geteuid()) else { return "Run: sudo chown \"$(id -un)\" \(path.quotedForShell)" }
        guard mode & 0o077 != 0 || mode & right != right else { return nil }
        return "Run: chmod \(String(right, radix: 8)) \(path.quotedForShell)"
    }

    /// Returns the advice to restore a missing key, or else to move the store aside. The moved sessions can be read
    /// again if the key is found. Returns `nil` for a store without a folder.
    /// - Parameter home: the path of the key file. A file without a key is moved aside too.
    private func restoreKey(in home: String) -> String? {
        guard let folder = try? configuration.place(in: call.storeContext)?.folder else { return nil }
        let isNoKey = FileManager.default.contents(atPath: home).map {
            DataKeys(text: Secret(String(decoding: $0, as: UTF8.self))) == nil
        }
        let paths = isNoKey == true ? [home, folder] : [folder]
        return "Restore it from a backup. Without one, sign in again after: "
            + paths.map { Self.moveAside($0) }.joined(separator: " && ")
    }

    /// Returns the command that moves the damaged file `store.json` aside, so that the store writes a new one. If the
    /// key is in a keyring, only this file tells which key it is, so the command moves the whole store aside. Returns
    /// `nil` for a store without a folder.
    private func replaceDescription(_ path: String) -> String? {
        guard let key = configuration.files?.key, let place = try? configuration.place(in: call.storeContext)
        else { return nil }
        let keepsKey =
            switch key {
            case .keyFile, .allowUnencryptedStorage: true
            case .automatic: FileManager.default.fileExists(atPath: place.keyFile)
            case .secretService, .keychain: false
            }
        guard keepsKey else { return "Run: " + Self.moveAside(place.folder) }
        // Move the file into the folder `quarantine`. Directly in the folder of the store, it would be read as a
        // collection.
        return "Run: mv \(path.quotedForShell) \("\(place.folder)/quarantine/\(StoreTitle.file)".quotedForShell)"
    }

    private static func moveAside(_ path: String) -> String {
        var (free, number) = ("\(path).aside", 1)
        while FileManager.default.fileExists(atPath: free) {
            number += 1
            free = "\(path).aside-\(number)"
        }
        return "mv \(path.quotedForShell) \(free.quotedForShell)"
    }
}

extension TokenStoreError {
    /// The file or folder that cannot be used. For an unavailable key, the place where the key should be, which need
    /// not be a path. `nil` for all other errors.
    var path: String? {
        switch self {
        case .unreadable(let path, _), .notWritable(let path, _), .insecure(let path, _): path
        case .keyUnavailable(let home, _): home
        default: nil
        }
    }
}
