import Foundation
import IdentityKit

/// A store in encrypted files with a given number of signed-in accounts.
struct FilledStore: Sendable {
    let folder: URL
    let accounts: [AccountID]

    init(folder: URL, accounts count: Int) async throws {
        self.folder = folder
        accounts = (0..<count).map(Self.account)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try Self.configuration(of: folder).open()
        try await BenchmarkSessions.make(over: store).begin(.sample(), for: accounts[0])
        guard let content = try await store.record(for: .account(accounts[0]))?.content else {
            throw Skipped(description: "the store kept no session")
        }
        // Copy the record of the first account to the others, because a copy takes less time than a sign-in.
        let lanes = 4
        try await withThrowingTaskGroup(of: Void.self) { [accounts] group in
            for lane in 0..<lanes {
                group.addTask {
                    for index in stride(from: 1 + lane, to: count, by: lanes) {
                        try await store.write(content, for: .account(accounts[index]), replacing: 0)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Opens the store as another process would.
    func open() throws -> any TokenStore { try Self.configuration(of: folder).open() }

    static func account(_ index: Int) -> AccountID {
        AccountID(account: "person-\(index)", realm: BenchmarkSessions.realm)
    }

    static func configuration(of folder: URL) -> StoreConfiguration {
        .file(folder: folder.appendingPathComponent("store").path, key: .keyFile())
    }
}
