import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite("A private folder")
struct PrivateFolderTests {
    private let parent: TemporaryFolder
    private var path: String { parent.file("folder").path }

    init() throws {
        parent = try TemporaryFolder()
    }

    @Test("A file is read as it was written, replaced as a whole, and its owner's alone")
    func files() throws {
        let folder = try PrivateFolder(at: path)
        #expect(try folder.read("a") == nil)
        try folder.write(Data("one".utf8), to: "a")
        try folder.write(Data("two".utf8), to: "a")
        #expect(try folder.read("a") == Data("two".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/a")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["a", "lock"])
    }

    @Test("It belongs to one owner at a time")
    func lock() throws {
        var first: PrivateFolder? = try PrivateFolder(at: path)
        #expect(first != nil)
        #expect(throws: PrivateFolderError.inUse(path: path)) { try PrivateFolder(at: path) }
        first = nil
        _ = try PrivateFolder(at: path)
    }

    @Test("What a killed writer has left is removed")
    func drafts() throws {
        _ = try PrivateFolder(at: path)
        try Data("half".utf8).write(to: parent.file("folder/left.draft"))
        _ = try PrivateFolder(at: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["lock"])
    }

    @Test("A file that others can open, or that leads elsewhere, is not read")
    func insecureFiles() throws {
        let folder = try PrivateFolder(at: path)
        try Data("x".utf8).write(to: parent.file("folder/open"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(path)/open")
        try Data("y".utf8).write(to: parent.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/link", withDestinationPath: parent.file("elsewhere").path)
        for name in ["open", "link"] {
            let error = #expect(throws: PrivateFolderError.self) { try folder.read(name) }
            #expect(error?.failureCode == "folder_not_private", "\(name)")
            #expect(error?.failureClass == .definitive)
        }
    }

    @Test("A folder that is a link, a file, or open to others is refused")
    func insecureFolders() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: parent.url.path)
        try Data().write(to: parent.file("file"))
        try FileManager.default.createDirectory(
            at: parent.file("open"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        for name in ["folder", "file", "open"] {
            let error = #expect(throws: PrivateFolderError.self) { try PrivateFolder(at: parent.file(name).path) }
            #expect(error?.failureCode == "folder_not_private", "\(name)")
        }
    }
}
