import Foundation
import IdentityKit

extension TokenStoreConformance {
    static let news: [Check] = [
        Check("Changes reach every listener in order") { subject in
            let streams = [subject.store.changes(in: nil), subject.store.changes(in: nil)]
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            try await subject.store.write(nil, for: subject.key, replacing: 1)
            for stream in streams {
                // Ignore changes of other records, because a store may also write records for its own use.
                var iterator = stream.filter { $0.key == subject.key }.makeAsyncIterator()
                for (generation, hasContent) in [(UInt64(1), true), (2, false)] {
                    let change = await iterator.next()
                    let expected = StoreChange(key: subject.key, generation: generation, hasContent: hasContent)
                    try subject.expect(change == expected, "the change of generation \(generation) is wrong")
                }
            }
        },
        Check("Changes made through another opener of the store are reported too") { subject in
            let stream = subject.store.changes(in: nil)
            let other = try await subject.reopen()
            try await other.write(Data("a".utf8), for: subject.key, replacing: 0)
            var iterator = stream.filter { $0.key == subject.key }.makeAsyncIterator()
            let change = await iterator.next()
            try subject.expect(
                change == StoreChange(key: subject.key, generation: 1, hasContent: true), "the change is wrong")
        },
        Check("A marker, where there is one, stays the same without writes and changes with every write") {
            subject in
            guard let marker = subject.store.marker(for: subject.key) else { return }
            let other = try await subject.reopen()
            var seen: Set<UInt64> = [marker.value]
            for generation: UInt64 in 0..<8 {
                try subject.expect(seen.contains(marker.value), "it changed without a write")
                let writer = generation.isMultiple(of: 2) ? subject.store : other
                try await writer.write(Data(), for: subject.key, replacing: generation)
                let value = try await subject.value(of: marker, otherThan: seen)
                try subject.expect(value != 0, "it is zero without a write under way")
                try subject.expect(seen.insert(value).inserted, "it did not change with write \(generation)")
            }
        },
    ]
}

extension TokenStoreConformance.Subject {
    /// Returns the value of `marker`, the version counter of the record. A value of zero means that the store does not know
    /// whether the record has changed. If ``/IdentityCore/TokenStore/longestDelay`` is not zero, first waits for a value that
    /// is neither zero nor in `seen`, until `Patience.limit` at the latest. This limit is far longer than the delay, because a
    /// busy machine may be late.
    /// - Throws: what reading the store throws, or `CancellationError`.
    fileprivate func value(of marker: any StoreVersion, otherThan seen: Set<UInt64>) async throws -> UInt64 {
        let end = ContinuousClock.now + (store.longestDelay > .zero ? Patience.limit : .zero)
        while seen.contains(marker.value) || marker.value == 0, ContinuousClock.now < end {
            // Read the record, because a store may notice changes only by reading.
            _ = try await store.record(for: key)
            try await Task.sleep(for: .milliseconds(10))
        }
        return marker.value
    }
}
