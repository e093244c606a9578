import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// One configuration in two processes, for which different providers are slow.
@Suite struct ChainProcessTests {
    @Test("Two processes with opposite timing end with one choice", arguments: 0..<4)
    func oppositeTiming(round: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        // Where the first provider is too slow, the second one would be chosen; where it is not, the first.
        async let slowFirst = #expect(processExitsWith: .success) { [path = path as String] in
            try await ChainProcessTests.chooseInChild(path, slow: "first")
        }
        async let slowSecond = #expect(processExitsWith: .success) { [path = path as String] in
            try await ChainProcessTests.chooseInChild(path, slow: "second")
        }
        _ = await (slowFirst, slowSecond)
        let results = try ["first", "second"].map { try Data(contentsOf: folder.file("found-\($0)")) }
        #expect(!results[0].isEmpty)
        #expect(results[0] == results[1])
        let store = try FileTokenStore(folder: folder.file("store"), protection: .allowUnencryptedStorage)
        #expect(try await ChainFixture([], store: store).selection()?.id == String(decoding: results[0], as: UTF8.self))
    }

    /// Looks for the account when both processes are ready. The provider called `slow` misses its deadline the first time
    /// it is asked here.
    private static func chooseInChild(_ path: String, slow: String) async throws {
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let ready = folder.appendingPathComponent("ready-\(slow)")
        // The other process does not wait for one that has failed.
        defer { try? Data().write(to: ready) }
        let store = try FileTokenStore(
            folder: folder.appendingPathComponent("store"), protection: .allowUnencryptedStorage)
        let fixture = ChainFixture([.account("ada"), .account("ada"), .account("ada")], store: store)
        let late = fixture.providers.first { $0.name == slow }
        late?.setSilent(.hang)
        let chain = try fixture.chain(
            fixture.links.map { link in
                var link = link
                link.silentDeadline = .init(.seconds(2), .skip)
                return link
            })
        try Data().write(to: ready)
        waitForBoth(in: folder)
        let account = try await fixture.passingDeadlines(missed: { late?.setSilent(.account("ada")) }) {
            do {
                return try await chain.silentAccount(scopes: [], deviceToken: "d").account
            } catch is ChainError {
                // The other process's choice was too slow here and is never skipped. An app asks again.
                return try await chain.silentAccount(scopes: [], deviceToken: "d").account
            }
        }
        try Data((account?.id ?? "").utf8).write(to: folder.appendingPathComponent("found-\(slow)"))
    }

    /// Returns when both processes have come this far.
    private static func waitForBoth(in folder: URL) {
        let others = ["first", "second"].map { folder.appendingPathComponent("ready-\($0)").path }
        while !others.allSatisfy(FileManager.default.fileExists) { sched_yield() }
    }
}
