import Foundation
import IdentityKit
import TestSupport
import Testing

/// A file store in a folder of its own, and a look behind its back.
struct FileStoreFixture: Sendable {
    let temporary: TemporaryFolder
    let key = StoreKey.account(AccountID(account: "ada@example.org", realm: "work"))

    init() throws {
        temporary = try TemporaryFolder()
    }

    var root: URL { temporary.file("store") }

    func open(
        leasing: StoreLeasing = .untilProcessEnds, time: TimeSource = .system
    ) throws -> FileTokenStore {
        try FileTokenStore(folder: root, protection: .allowUnencryptedStorage, leasing: leasing, time: time)
    }

    /// The file of a record.
    func file(of key: StoreKey) -> URL {
        root.appendingPathComponent("\(key.collection.rawValue)/\(sha256(Data(key.name.utf8)).hexEncoded).record")
    }

    var recordFile: URL { file(of: key) }

    /// A record file around a body, with a digest that fits.
    static func file(version: String = "1.0", body: String) -> Data {
        let title = "swift-identity-record \(version)"
        return Data("\(title) \(sha256(Data((title + body).utf8)).hexEncoded)\n\(body)".utf8)
    }

    static func mode(of url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    static func setMode(_ mode: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    /// Every file and folder below the root.
    func everything() throws -> [URL] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return [root] + names.map { root.appendingPathComponent($0) }
    }

    /// The code of the error that `body` throws; `nil` when it throws none.
    static func failureCode(_ body: () async throws -> some Sendable) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? any IdentityFailure)?.failureCode ?? "\(error)"
        }
    }
}
