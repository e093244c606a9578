import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite struct ParentFoldersTests {
    @Test(
        "A folder above that others can write is found, unless it is sticky",
        arguments: [(0o777, true), (0o775, true), (0o1777, false), (0o755, false), (0o700, false)])
    func writable(mode: Int, isFound: Bool) throws {
        let folder = try TemporaryFolder()
        let store = folder.file("shared/own/store")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        let shared = folder.file("shared").path
        #expect(chmod(shared, mode_t(mode)) == 0)
        // A group that others are in.
        #expect(chown(shared, geteuid(), mode == 0o775 && geteuid() == 0 ? 65_533 : getegid()) == 0)
        let weakness = ParentFolders.weakness(above: store.path)
        guard mode != 0o775 || geteuid() == 0 else { return }
        #expect((weakness?.folder.hasSuffix("/shared") == true) == isFound, "\(String(describing: weakness))")
    }

    @Test("Where a link leads counts")
    func link() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.file("shared/own"), withIntermediateDirectories: true)
        #expect(chmod(folder.file("shared").path, 0o777) == 0)
        try FileManager.default.createSymbolicLink(
            at: folder.file("link"), withDestinationURL: folder.file("shared/own"))
        #expect(ParentFolders.weakness(above: folder.file("link").path)?.detail == "everybody can write it")
    }
}
