#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import IdentityKit

@Suite struct FileLockTests {
    @Test("A lock that was let go of is free, also while a child that was just forked has a copy of it")
    func copied() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("record.lock").path
        let lock = try #require(try FileLock.tryLock(path))
        let copy = dup(try #require(Self.descriptor(of: path)))
        defer { close(copy) }
        lock.unlock()
        #expect(try FileLock.tryLock(path) != nil)
    }

    /// A descriptor of this process for a file.
    private static func descriptor(of path: String) -> Int32? {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.compactMap { Int32($0) }.first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }
}
#endif
