import Foundation
import IdentityKit

/// A store in which a test holds a write up once it is done, and knows when a listener has looked after a change.
package final class HeldTokenStore: TokenStoreWrapper {
    package let wrapped: any TokenStore
    private let waited = Locked<AccountID?>(nil)
    private let requests = Locked(0)
    private let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)
    private let (permits, permit) = AsyncStream.makeStream(of: Void.self)

    package init(_ store: any TokenStore = MemoryTokenStore()) { wrapped = store }

    /// Holds the next erasure of the session of `account` up once it is done.
    package func holdErasure(of account: AccountID) { waited.withLock { $0 = account } }

    /// Returns once the erasure is held up.
    package func erased() async { for await _ in arrivals { return } }

    /// Lets the erasure go on.
    package func goOn() { permit.yield() }

    package func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        let record = try await wrapped.write(content, for: key, replacing: generation)
        let isHeld = waited.withLock { account in
            guard content == nil, let waited = account, key == .account(waited) else { return false }
            account = nil
            return true
        }
        if isHeld {
            arrive.yield()
            for await _ in permits { break }
        }
        return record
    }

    package func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        let changes = wrapped.changes(in: collection)
        return AsyncStream { [requests] in
            requests.withLock { $0 += 1 }
            for await change in changes { return change }
            return nil
        }
    }

    /// Returns once a listener has looked after a change that `act` makes.
    package func whenHeard(_ act: () async throws -> Void) async rethrows {
        while requests.withLock({ $0 }) == 0 { await Task.yield() }
        let before = requests.withLock { $0 }
        try await act()
        while requests.withLock({ $0 }) == before { await Task.yield() }
    }
}
