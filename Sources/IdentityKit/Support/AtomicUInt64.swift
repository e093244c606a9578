import CIdentitySystem

/// A number that many tasks read without a lock. Copies share the same number.
package struct AtomicUInt64: @unchecked Sendable {
    // Unchecked conformance is sound: the word is read and written atomically, and the buffer holds nothing else.
    private let buffer: ManagedBuffer<Void, UInt64>

    package init(_ value: UInt64 = 0) {
        buffer = .create(minimumCapacity: 1) { _ in () }
        buffer.withUnsafeMutablePointerToElements { $0.initialize(to: value) }
    }

    package var value: UInt64 {
        get { buffer.withUnsafeMutablePointerToElements { memory_load($0) } }
        nonmutating set { buffer.withUnsafeMutablePointerToElements { memory_store($0, newValue) } }
    }
}
