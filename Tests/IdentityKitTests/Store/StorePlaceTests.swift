import Foundation
import TestSupport
import Testing

@testable import IdentityKit

@Suite struct StorePlaceTests {
    private let temporary: TemporaryFolder
    private let key = StoreKey(.accounts, "work/ada")
    private var real: URL { temporary.file("disk/state") }
    private var link: URL { temporary.file("a link") }

    init() throws {
        temporary = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: temporary.file("disk"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func configuration(_ folder: URL) -> StoreConfiguration {
        .file(folder: folder.path, key: .keyFile())
    }

    private func mode(of folder: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    }

    @Test("A link to the folder is the same store as the folder, with the same key and the same leases")
    func sameStore() async throws {
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let (through, direct) = (try configuration(link).open(), try configuration(real).open())
        try await through.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try await direct.record(for: key)?.content == Data("a".utf8))
        let lease = try await through.lease(for: key)
        #expect(lease != nil)
        #expect(try await direct.lease(for: key) == nil)
        await lease?.release()
        #expect(FileManager.default.fileExists(atPath: real.path + ".key"))
        #expect(!FileManager.default.fileExists(atPath: link.path + ".key"))
    }

    @Test("A store whose folder moved to another disk, with a link in its place, keeps its key and its sessions")
    func movedStore() async throws {
        let before = try configuration(link).open()
        try await before.write(Data("a".utf8), for: key, replacing: 0)
        try FileManager.default.moveItem(at: link, to: real)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let after = try configuration(link).open()
        #expect(try await after.record(for: key)?.content == Data("a".utf8))
        #expect(try configuration(link).filesSealedWithKeyFile()?.keyFile == link.path + ".key")
    }

    @Test("A link that leads nowhere, or to itself, is told and created nowhere")
    func nowhere() throws {
        for target in [real, link] {
            try? FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            for attempt in [{ _ = try configuration(link).open() }, { try configuration(link).check() }] {
                let error = #expect(throws: TokenStoreError.self) { try attempt() }
                #expect(error?.failureCode == "store_not_writable")
                #expect(error?.message.contains("symbolic link whose target cannot be found") == true)
            }
            #expect(!FileManager.default.fileExists(atPath: real.path))
        }
    }

    @Test("An empty folder with the usual mode becomes private", arguments: [0o755, 0o775, 0o777])
    func emptyFolder(mode: Int) async throws {
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: real.path)
        try configuration(real).check()
        #expect(try self.mode(of: real) == mode)
        let store = try configuration(real).open()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try self.mode(of: real) == 0o700)
    }

    @Test("Any number of programs that begin a store at once share it", arguments: [nil, 0o700, 0o755] as [Int?])
    func begunAtOnce(mode: Int?) async throws {
        for round in 0..<20 {
            let folder = temporary.file("state \(round)")
            if let mode {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
            }
            let configuration = configuration(folder)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for program in 0..<8 {
                    group.addTask {
                        try configuration.check()
                        let key = StoreKey(.accounts, "work/\(program)")
                        try await configuration.open().write(Data("a".utf8), for: key, replacing: 0)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await configuration.open().records(in: .accounts).records.count == 8)
            #expect(try self.mode(of: folder) == 0o700)
        }
    }

    @Test("A folder with something in it that others can open is refused, and stays as it is")
    func usedFolder() async throws {
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try Data().write(to: real.appendingPathComponent("notes"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: real.path)
        for attempt in [{ _ = try configuration(real).open() }, { try configuration(real).check() }] {
            let error = #expect(throws: TokenStoreError.self) { try attempt() }
            #expect(error?.failureCode == "store_insecure")
        }
        #expect(try mode(of: real) == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: real.path) == ["notes"])
    }

    @Test("A key inside the store's folder is refused also where the folder is named by a link")
    func keyInside() throws {
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        for folder in [link, real] {
            let key = StoreConfiguration.Key.keyFile(path: folder.appendingPathComponent("key").path)
            #expect(throws: TokenStoreError.self) {
                try StoreConfiguration.file(folder: link.path, key: key).check()
            }
        }
    }

    @Test("A key file that is a link into the store's folder is refused")
    func linkInside() throws {
        try FileManager.default.createDirectory(
            at: real, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let file = real.appendingPathComponent("key")
        try Data().write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let error = #expect(throws: TokenStoreError.self) {
            try StoreConfiguration.file(folder: real.path, key: .keyFile(path: link.path)).check()
        }
        #expect(error?.message.contains("lies in the store's folder") == true)
    }
}
