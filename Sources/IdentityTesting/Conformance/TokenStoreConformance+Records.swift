import Foundation
import IdentityKit

extension TokenStoreConformance {
    /// Checks of reading, compare-and-swap, erasing, listing and quarantine.
    static let records: [Check] = [
        Check("A record that was never written is absent, not an error") { subject in
            try subject.expect(try await subject.store.record(for: subject.key) == nil, "there is a record")
            let listing = try await subject.store.records(in: .accounts)
            try subject.expect(listing == StoreListing(), "the listing is not empty")
        },
        Check("Several records are read at once, in the order in which they are named, without those that are absent") {
            subject in
            let other = StoreKey(.refreshes, subject.key.name)
            let absent = StoreKey(.accounts, "conformance/nobody")
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            try await subject.store.write(nil, for: other, replacing: 0)
            for keys in [[other, absent, subject.key], [subject.key, other], [absent], []] {
                let read = try await subject.store.records(for: keys)
                let expected = keys.filter { $0 != absent }.map {
                    StoreRecord(key: $0, generation: 1, content: $0 == other ? nil : Data("a".utf8))
                }
                try subject.expect(read == expected, "\(keys.count) records were read as \(read.count) others")
            }
        },
        Check("Generations rise by one and survive an erasure") { subject in
            for (generation, content) in [Data("1".utf8), nil, Data("3".utf8), Data()].enumerated() {
                let written = try await subject.store.write(content, for: subject.key, replacing: UInt64(generation))
                let expected = StoreRecord(key: subject.key, generation: UInt64(generation) + 1, content: content)
                try subject.expect(written == expected, "write \(generation) returned another record")
                let read = try await subject.store.record(for: subject.key)
                try subject.expect(read == expected, "read \(generation) returned another record")
            }
        },
        Check("A write that replaces another generation conflicts and changes nothing") { subject in
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            for stale: UInt64 in [0, 2, 99] {
                try await subject.expectConflict(1) {
                    try await subject.store.write(Data("b".utf8), for: subject.key, replacing: stale)
                }
            }
            let content = try await subject.store.record(for: subject.key)?.content
            try subject.expect(content == Data("a".utf8), "the content changed")
        },
        Check("Of many writers on one generation exactly one wins") { subject in
            let stores = [subject.store, try await subject.reopen()]
            let winners = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<16 {
                    let store = stores[index % 2]
                    group.addTask {
                        (try? await store.write(Data("\(index)".utf8), for: subject.key, replacing: 0)) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try subject.expect(winners == 1, "\(winners) writers won")
            let generation = try await subject.store.record(for: subject.key)?.generation
            try subject.expect(generation == 1, "the generation is \(generation ?? 0)")
        },
        Check("Records of different collections and names are separate, whatever their characters") { subject in
            let names = ["a", "A", "a/b", "a%2Fb", "../a", ".", "ä", " ", String(repeating: "long", count: 200)]
            for name in names {
                try await subject.store.write(Data(name.utf8), for: StoreKey(.accounts, name), replacing: 0)
            }
            try await subject.store.write(Data("p".utf8), for: StoreKey(.pendingFlows, "a"), replacing: 0)
            let listing = try await subject.store.records(in: .accounts)
            try subject.expect(listing.failures.isEmpty, "some records are unreadable")
            let contents = Dictionary(listing.records.map { ($0.key.name, $0.content) }) { first, _ in first }
            try subject.expect(contents.count == names.count, "\(contents.count) of \(names.count) names are there")
            for name in names {
                try subject.expect(contents[name] == Data(name.utf8), "\"\(name)\" has the content of another record")
            }
        },
        Check("An erased record is listed, without content") { subject in
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            try await subject.store.write(nil, for: subject.key, replacing: 1)
            let records = try await subject.store.records(in: .accounts).records
            try subject.expect(
                records == [StoreRecord(key: subject.key, generation: 2, content: nil)], "the listing differs")
        },
        Check("Pages hold every record once, and no page more than was asked for") { subject in
            let empty = try await subject.store.page(of: .accounts, after: nil, limit: 3)
            try subject.expect(empty == StoreListing(), "the page of an empty collection is not empty")
            let names = (0..<7).map { "conformance/\($0)" }
            for name in names { try await subject.store.write(Data(), for: StoreKey(.accounts, name), replacing: 0) }
            for limit in [1, 3, 7, 8] {
                var (found, position) = ([String](), String?.none)
                repeat {
                    let page = try await subject.store.page(of: .accounts, after: position, limit: limit)
                    try subject.expect(page.records.count <= limit, "a page of \(limit) has more records")
                    try subject.expect(
                        page.next == nil || page.next != position, "a page leads to itself")
                    found += page.records.map(\.key.name)
                    position = page.next
                } while position != nil && found.count <= names.count
                try subject.expect(found.sorted() == names, "pages of \(limit) hold \(found.count) of 7 records")
            }
        },
        Check("A content of 60,000 bytes of any value comes back as it was") { subject in
            let content = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try await subject.store.write(content, for: subject.key, replacing: 0)
            let read = try await subject.reopen().record(for: subject.key)?.content
            try subject.expect(read == content, "it came back changed")
        },
        Check("Quarantine leaves a sound record alone") { subject in
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            try await subject.store.quarantine(subject.key)
            let record = try await subject.store.record(for: subject.key)
            try subject.expect(
                record == StoreRecord(key: subject.key, generation: 1, content: Data("a".utf8)), "it changed")
        },
        Check("A write is visible to the next opener of the store") { subject in
            try await subject.store.write(Data("a".utf8), for: subject.key, replacing: 0)
            let other = try await subject.reopen()
            let record = try await other.record(for: subject.key)
            try subject.expect(record?.content == Data("a".utf8), "it is not")
            try await other.write(nil, for: subject.key, replacing: 1)
            let generation = try await subject.store.record(for: subject.key)?.generation
            try subject.expect(generation == 2, "the first opener does not see the second one's write")
        },
    ]
}
