import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The locks of a token store that were taken before, held by the process of the tests: to the tool, another process that
/// writes and does not come to an end.
final class HeldLocks {
    private var descriptors: [Int32] = []

    /// Takes the locks that guard writing in the store at `folder`.
    init(ofStoreAt folder: URL) throws {
        let locks = folder.appendingPathComponent("locks")
        for name in try FileManager.default.contentsOfDirectory(atPath: locks.path) where name.hasSuffix(".write") {
            let descriptor = open(locks.appendingPathComponent(name).path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw CocoaError(.fileLocking) }
            descriptors.append(descriptor)
        }
    }

    /// How many there are.
    var count: Int { descriptors.count }

    /// Lets go of them.
    func release() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    deinit { release() }
}
