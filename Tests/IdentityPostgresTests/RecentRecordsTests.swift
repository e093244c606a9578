#if PostgreSQL
import Foundation
import IdentityKit
import Testing

@testable import IdentityPostgres

/// Which of two records is the later one, where the answers of the database took their time.
@Suite struct RecentRecordsTests {
    private let key = StoreKey(.accounts, "work/ada")
    private let now = ContinuousTime.now

    /// The successor of an older generation that is found.
    /// - Parameters:
    ///   - known: content and age of the later generation, in seconds.
    ///   - found: content and age of the older one, in seconds.
    ///   - delay: how many seconds the answer took in which it was found.
    private func successor(
        known: (content: Data?, age: Int), found: (content: Data?, age: Int), delay: UInt64
    ) -> StoreRecord? {
        let recent = RecentRecords()
        let later = StoreRecord(key: key, generation: 2, content: known.content, age: .seconds(known.age))
        recent.note(later, askedAt: now)
        let older = StoreRecord(key: key, generation: 1, content: found.content, age: .seconds(found.age))
        let way = delay * 1_000_000_000
        return recent.successor(of: older, askedAt: now > way ? now - way : 0)
    }

    @Test("An erasure counts unless a session was certainly written after it")
    func erasure() {
        let session = Data("session".utf8)
        // Found at once, the session is an hour younger. In an answer that took two hours it may be older.
        #expect(successor(known: (nil, 3_600), found: (session, 0), delay: 0) == nil)
        #expect(successor(known: (nil, 3_600), found: (session, 0), delay: 7_200)?.generation == 2)
        #expect(successor(known: (session, 0), found: (nil, 3_600), delay: 0)?.generation == 2)
        #expect(successor(known: (session, 3_600), found: (nil, 0), delay: 7_200) == nil)
    }

    @Test("A record that is written back is no younger than it was")
    func age() throws {
        for content in [nil, Data("session".utf8)] {
            let later = try #require(successor(known: (content, 3), found: (Data("former".utf8), 3_600), delay: 0))
            #expect(try #require(later.age) >= .seconds(3))
        }
    }
}
#endif
