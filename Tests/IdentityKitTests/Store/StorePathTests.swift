import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite struct StorePathTests {
    @Test(
        "A written path becomes absolute and normal",
        arguments: [
            ("state", "/base/state"), ("./state", "/base/state"), ("state/", "/base/state"), (".", "/base"),
            ("..", "/"), ("../..", "/"), ("../state", "/state"), ("a//b/./c/../d", "/base/a/b/d"), ("/a/b/", "/a/b"),
            ("/", "/"), ("//a", "/a"), ("./~ada", "/base/~ada"), ("a/~", "/base/a/~"), ("...", "/base/..."),
        ])
    func absolute(written: String, expected: String) throws {
        #expect(try StorePath.absolute(written, in: "/base") == expected)
    }

    @Test("A tilde alone is the home folder", arguments: [("~", ""), ("~/", ""), ("~/x/", "/x"), ("~//x/../y", "/y")])
    func home(written: String, below: String) throws {
        #expect(try StorePath.absolute(written, in: "/base") == StorePath.absolute(StorePath.home) + below)
    }

    @Test("Somebody's home by name, nothing, and a NUL are refused in words")
    func refused() {
        for path in ["~ada", "~ada/state", "~root"] {
            #expect(throws: StorePathError.otherHome(path)) { try StorePath.absolute(path) }
        }
        #expect(throws: StorePathError.noHome("~/state")) { try StorePath.absolute("~/state", home: "/") }
        #expect(throws: StorePathError.empty) { try StorePath.absolute("") }
        #expect(throws: StorePathError.unusable) { try StorePath.absolute("/a\0b") }
        #expect(StorePathError.otherHome("~ada").detail.contains("Write the whole path"))
    }

    @Test(
        "The folder of a path can always be named",
        arguments: [
            ("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("//", "/"), ("a", "."), (".", "."), ("", "."), ("./a", "."),
            ("a/b/", "a"), ("a//b", "a"), ("/a//b//", "/a"), ("/\u{301}a/b", "/\u{301}a"),
        ])
    func folder(path: String, expected: String) {
        #expect(StorePath.folder(of: path) == expected)
    }

    @Test("A store opens at every spelling of its folder", arguments: ["x", "./x", "x/", "y/../x", "./x/."])
    func spellings(spelling: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(
            """
            {"store": {"type": "file", "folder": "\(spelling)", "key": {"home": "keyFile"}},
             "providers": [{"name": "a", "type": "anonymous", "settings": {"token": "t"}}]}
            """.utf8
        ).write(to: file)
        let configuration = try IdentityConfiguration(contentsOf: file)
        _ = try configuration.store.open()
        let key = StoreKey(.device, "x")
        try await configuration.store.open().write(Data("kept".utf8), for: key, replacing: 0)
        #expect(FileManager.default.fileExists(atPath: folder.file("x/store.json").path))
        #expect(FileManager.default.fileExists(atPath: folder.file("x.key").path))
        let again = try StoreConfiguration.file(folder: folder.file("x").path, key: .keyFile()).open()
        #expect(try await again.record(for: key)?.content == Data("kept".utf8))
    }

    @Test("A relative key file starts at the configuration's folder as well")
    func keyFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(
            """
            {"store": {"type": "file", "folder": "x", "key": {"home": "keyFile", "path": "./keys/x.key"}},
             "providers": [{"name": "a", "type": "anonymous", "settings": {"token": "t"}}]}
            """.utf8
        ).write(to: file)
        let store = try IdentityConfiguration(contentsOf: file).store
        #expect(store == .file(folder: folder.file("x").path, key: .keyFile(path: folder.file("keys/x.key").path)))
        #expect(try store.filesSealedWithKeyFile()?.keyFile == folder.file("keys/x.key").path)
    }

    @Test(
        "A path of no use is a mistake of the configuration, by its name",
        arguments: [
            (#""folder": "~ada/state""#, "store.folder"), (#""folder": """#, "store.folder"),
            (#""folder": "x", "key": {"home": "keyFile", "path": "~ada/key"}"#, "store.key.path"),
        ])
    func mistakes(members: String, keyPath: String) throws {
        let document = """
            {"store": {"type": "file", \(members)},
             "providers": [{"name": "a", "type": "anonymous", "settings": {"token": "t"}}]}
            """
        let error = #expect(throws: ConfigurationError.self) { try IdentityConfiguration(parsing: Data(document.utf8)) }
        guard case .invalidValue(keyPath, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A store made in code with a useless path says so and does not end the process", arguments: ["", "~ada"])
    func inCode(folder: String) {
        let error = #expect(throws: TokenStoreError.self) { try StoreConfiguration.file(folder: folder).open() }
        #expect(error?.failureCode == "store_unsupported")
    }
}
