import Foundation
import IdentityKit

/// Checks of the rules that every token store follows, for the tests of a store.
///
/// ```swift
/// @Test("The store keeps its promises", arguments: TokenStoreConformance.checks)
/// func conforms(check: TokenStoreConformance.Check) async throws {
///     let store = MemoryTokenStore()
///     try await check.run { store }
/// }
/// ```
public enum TokenStoreConformance {
    /// A check of one rule. Each check needs a separate store, which is empty at first.
    public struct Check: Sendable, CustomStringConvertible {
        /// The rule as a sentence without a period, such as "A lease that is dropped is over".
        public let description: String
        private let body: @Sendable (Subject) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Opens an empty store, and checks the rule on it.
        /// - Parameter open: opens the store. The first call must return an empty store. Later calls must open the same store
        ///   again, as another process would. For a store that only one process can use, return the same object each time.
        /// - Throws: ``ConformanceError`` when the rule is broken, or what `open` or the store throws.
        public func run(opening open: @escaping @Sendable () async throws -> any TokenStore) async throws {
            try await body(Subject(promise: description, store: try await open(), reopen: open))
        }
    }

    struct Subject: Sendable {
        let promise: String
        let store: any TokenStore
        let reopen: @Sendable () async throws -> any TokenStore
        let key = StoreKey(.accounts, "conformance/ada")

        func expect(_ isKept: Bool, _ detail: @autoclosure () -> String) throws {
            guard isKept else { throw ConformanceError(promise: promise, detail: detail()) }
        }

        func expectConflict(_ current: UInt64, _ body: () async throws -> Void) async throws {
            do {
                try await body()
            } catch TokenStoreError.conflict(_, let seen) {
                return try expect(seen == current, "the conflict names generation \(seen) instead of \(current)")
            }
            throw ConformanceError(promise: promise, detail: "the write went through")
        }
    }

    public static var checks: [Check] { records + leases + news }
}

/// An error that a check throws when the store breaks the rule. The message contains the rule and what the store did instead.
public struct ConformanceError: StatedFailure, Equatable {
    /// The rule that the store breaks: the description of the check.
    public let promise: String
    /// A clause about what the store did instead.
    public let detail: String

    public init(promise: String, detail: String) {
        self.promise = promise
        self.detail = detail
    }

    package var facts: FailureFacts { .definitive("conformance_failed", "\(promise): \(detail).") }
}
