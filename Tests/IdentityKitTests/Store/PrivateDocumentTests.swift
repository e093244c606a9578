import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite("A private document")
struct PrivateDocumentTests {
    private let parent: TemporaryFolder
    private var path: String { parent.file("new/folder/document").path }

    init() throws {
        parent = try TemporaryFolder()
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("It is created once, with the folders it needs, for its owner alone")
    func creates() throws {
        #expect(try PrivateDocument.create(Data("one".utf8), at: path))
        #expect(try PrivateDocument.create(Data("two".utf8), at: path) == false)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("one".utf8))
        #expect(try mode(of: path) == 0o600)
        #expect(try mode(of: parent.file("new").path) == 0o700)
        #expect(try mode(of: parent.file("new/folder").path) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.file("new/folder").path) == ["document"])
    }

    @Test("It takes the place of a file that others can open, and of one that is not there")
    func replaces() throws {
        try PrivateDocument.replace(Data("one".utf8), at: path)
        #expect(try mode(of: path) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try PrivateDocument.replace(Data("two".utf8), at: path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("two".utf8))
        #expect(try mode(of: path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.file("new/folder").path) == ["document"])
    }

    @Test("A folder that is there already stays open to whom it was open")
    func keepsFolders() throws {
        let folder = parent.file("shared").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        #expect(try PrivateDocument.create(Data(), at: "\(folder)/document"))
        try PrivateDocument.replace(Data(), at: "\(folder)/document")
        #expect(try mode(of: folder) == 0o755)
    }

    @Test("What is no file, such as a device, is never replaced")
    func devices() throws {
        let pipe = parent.file("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: PrivateFolderError.notWritable(path: pipe, detail: "it is not a file")) {
            try PrivateDocument.replace(Data(), at: pipe)
        }
        var status = stat()
        #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("Where it cannot be, the error names it and the reason, and no draft is left")
    func unwritable() throws {
        try Data("file".utf8).write(to: parent.file("file"))
        try FileManager.default.createDirectory(at: parent.file("document"), withIntermediateDirectories: true)
        let below = parent.file("file/document").path
        for write in [
            { _ = try PrivateDocument.create(Data(), at: below) }, { try PrivateDocument.replace(Data(), at: below) },
        ] {
            #expect(throws: PrivateFolderError.notWritable(path: below, detail: "Not a directory")) { try write() }
        }
        let folder = parent.file("document").path
        #expect(throws: PrivateFolderError.notWritable(path: folder, detail: "Is a directory")) {
            try PrivateDocument.replace(Data(), at: folder)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.url.path).sorted() == ["document", "file"])
    }
}
