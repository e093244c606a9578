import Foundation
import IdentityKit

extension TokenStoreConformance {
    /// How others learn of a change.
    static let news: [Check] = [
        Check("Changes reach every listener in order") { subject in
            let streams = [subject.store.changes(), subject.store.changes()]
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            try await subject.store.write(nil, for: subject.key, replacing: 1)
            for stream in streams {
                // A store may keep records of its own beside ours.
                var iterator = stream.filter { $0.key == subject.key }.makeAsyncIterator()
                for (generation, hasContent) in [(UInt64(1), true), (2, false)] {
                    let change = await iterator.next()
                    let expected = StoreChange(key: subject.key, generation: generation, hasContent: hasContent)
                    try subject.expect(change == expected, "generation \(generation) was told otherwise")
                }
            }
        },
        Check("Changes made by another opener of the store are told too") { subject in
            let stream = subject.store.changes()
            let other = try await subject.reopen()
            try await other.write(Data("a".utf8), for: subject.key, replacing: 0)
            var iterator = stream.filter { $0.key == subject.key }.makeAsyncIterator()
            let change = await iterator.next()
            try subject.expect(
                change == StoreChange(key: subject.key, generation: 1, hasContent: true), "it was told otherwise")
        },
        Check("A marker, where there is one, stands still while nothing is written and moves with every write") {
            subject in
            guard let marker = subject.store.marker(for: subject.key) else { return }
            let other = try await subject.reopen()
            var seen: Set<UInt64> = [marker.value]
            for generation: UInt64 in 0..<8 {
                try subject.expect(seen.contains(marker.value), "it moved although nothing was written")
                let writer = generation.isMultiple(of: 2) ? subject.store : other
                try await writer.write(Data(), for: subject.key, replacing: generation)
                let value = marker.value
                try subject.expect(value != 0, "it says nothing although nobody writes")
                try subject.expect(seen.insert(value).inserted, "it did not move with write \(generation)")
            }
        },
    ]
}
