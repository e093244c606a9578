import Foundation
import IdentityKit
import Synchronization

/// Counts the writes of any store beside those through a lease. Whatever it does not state passes to the store below.
public final class CountedStore: TokenStoreWrapper {
    public let wrapped: any TokenStore
    private let count = Mutex(0)

    public init(_ wrapped: any TokenStore) { self.wrapped = wrapped }

    public var writes: Int { count.withLock { $0 } }

    @discardableResult
    public func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        count.withLock { $0 += 1 }
        return try await wrapped.write(content, for: key, replacing: generation)
    }
}
