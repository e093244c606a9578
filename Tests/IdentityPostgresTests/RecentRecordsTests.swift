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
    ) -> RecentRecords.Successor? {
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
        // Found at once, the session is ten seconds younger. In an answer that took twenty seconds it may be older.
        #expect(successor(known: (nil, 10), found: (session, 0), delay: 0) == nil)
        #expect(successor(known: (nil, 10), found: (session, 0), delay: 20)?.record.generation == 2)
        #expect(successor(known: (session, 0), found: (nil, 10), delay: 0)?.record.generation == 2)
        #expect(successor(known: (session, 10), found: (nil, 0), delay: 20) == nil)
    }

    @Test("A record that is written back is no younger than it was, however long its way is: a sign-out may be older")
    func age() throws {
        for (content, delay) in [(nil, 0), (nil, 5), (Data("session".utf8), 0), (Data("session".utf8), 5)] {
            // Written before this system was started.
            let age = Int(now / 1_000_000_000) + 3_600
            let former = (content: Data?.some(Data("former".utf8)), age: age)
            let later = try #require(successor(known: (content, 3), found: former, delay: UInt64(delay)))
            #expect(try #require(later.record.age) >= .seconds(3))
            let distance = Duration.seconds(age - 3)
            #expect(content == nil ? later.distance >= distance : later.distance <= distance)
        }
    }
}
#endif
