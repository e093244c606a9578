import Foundation
import IdentityKit
import Synchronization

/// The right to refresh one session. It also ends when nobody holds it any more, and never by itself.
final class DictionaryLease: StoreLease {
    private let key: StoreKey
    private let store: DictionaryStore
    private let board: NoticeBoard
    private let isHeld = Mutex(true)

    init(key: StoreKey, store: DictionaryStore, board: NoticeBoard) {
        (self.key, self.store, self.board) = (key, store, board)
    }

    deinit { giveBack() }

    /// Holders before are tasks of this process, which give their lease back when they are done.
    var hasPredecessorEnded: Bool { true }

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await store.write(content, for: key, replacing: generation)
    }

    func release() async { giveBack() }

    private func giveBack() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { board.giveBack(key) }
    }
}
