import Foundation
import IdentityKit

/// Temporary folders for the data of a run. Several sections can use the same data, and ``remove()`` deletes all of it.
final class ScratchFolder: Sendable {
    let url: URL
    /// A folder in memory (`/dev/shm`), so that measurements in it do not depend on a disk. On a system without
    /// `/dev/shm`, it is a folder inside ``url``.
    let memory: URL
    private let stores = Locked<[Int: Task<FilledStore, any Error>]>([:])

    init() throws {
        let name = "identity-benchmarks-\(UUID().uuidString)"
        url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        let shared = URL(fileURLWithPath: "/dev/shm")
        let hasShared = FileManager.default.isWritableFile(atPath: shared.path)
        memory = (hasShared ? shared : url).appendingPathComponent(name + "-memory")
        for folder in [url, memory] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    func folder() throws -> URL {
        let folder = url.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Returns the store with `count` accounts in ``memory``. The first call for this number fills the store.
    func store(accounts count: Int) async throws -> FilledStore {
        let folder = memory.appendingPathComponent("\(count)")
        let filling = stores.withLock { stores in
            if let task = stores[count] { return task }
            let task = Task { try await FilledStore(folder: folder, accounts: count) }
            stores[count] = task
            return task
        }
        return try await filling.value
    }

    func remove() {
        for folder in [url, memory] { try? FileManager.default.removeItem(at: folder) }
    }
}
