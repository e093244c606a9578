/// The change markers of a file store's records, which are 64-bit words in the store's file `notice` (``ChangeNotice``).
///
/// Without the file, such as on a read-only disk, there are no markers, and every lookup reads the record.
final class ChangeCounter: Sendable {
    private let path: String
    private let current: Locked<ChangeNotice?>

    init(path: String) {
        self.path = path
        current = Locked(try? ChangeNotice(path: path))
    }

    /// The mapped file. A missing file is created, and a file that was removed or replaced is mapped again. `nil` if
    /// that fails.
    var notice: ChangeNotice? { notice(creates: true) }

    /// The mapped file; `nil` if it does not exist or cannot be mapped. A watcher must not create the file, because
    /// the folder may be about to be removed.
    var existingNotice: ChangeNotice? { notice(creates: false) }

    private func notice(creates: Bool) -> ChangeNotice? {
        current.withLock { notice in
            if notice?.isMapping(path) != true { notice = try? ChangeNotice(path: path, creates: creates) }
            return notice
        }
    }

    func marker(forHash hash: String) -> (any StoreVersion)? {
        notice.map { Marker(notice: $0, index: ChangeNotice.index(ofHash: hash)) }
    }

    /// Runs `change`, which writes the record whose name has this hash, and marks that record as changed in the file.
    func changing<Result>(hash: String, _ change: () throws -> Result) rethrows -> Result {
        guard let notice else { return try change() }
        return try notice.changing(at: ChangeNotice.index(ofHash: hash), change)
    }

    /// Wakes the tasks of all processes that wait for a change of the record with this hash.
    func wake(forHash hash: String) {
        existingNotice?.wake(at: ChangeNotice.index(ofHash: hash))
    }

    private struct Marker: AwaitableStoreVersion {
        let notice: ChangeNotice
        let index: Int

        var value: UInt64 { notice.word(at: index) }

        func change(from value: UInt64, atMost pause: Duration) async -> Bool {
            await notice.waitForChange(at: index, from: value, atMost: pause)
        }
    }
}

/// Finds the records that other processes have changed.
///
/// Every half second, the watcher checks a single word in memory that every write of a record changes. Only when that
/// word has changed does the watcher read the folders of the collections with listeners, and in them the records whose
/// own word has changed.
enum NoticeWatcher {
    private static let interval = Duration.milliseconds(500)

    /// A feed that also sends the changes of other processes while it has listeners.
    static func feed(of notices: ChangeCounter, reading reader: RecordReader, time: TimeSource) -> ChangeFeed {
        ChangeFeed { feed in
            let before = notices.existingNotice?.snapshot ?? []
            return { await watch(notices, since: before, reader, time, for: feed) }
        }
    }

    private static func watch(
        _ notices: ChangeCounter, since before: [UInt64], _ reader: RecordReader, _ time: TimeSource,
        for feed: ChangeFeed
    ) async {
        var (seen, attempts) = (before, 0)
        while !Task.isCancelled {
            guard (try? await time.sleep(for: interval)) != nil, let notice = notices.existingNotice else { continue }
            guard seen.first != notice.word(at: 0) else { continue }
            var words = notice.snapshot
            let changed = Set(words.indices.dropFirst().filter { !seen.indices.contains($0) || words[$0] != seen[$0] })
            let unread = reader.forEachRecord(in: feed.collections, withWordIn: changed) {
                feed.send(StoreChange($0))
            }
            attempts = unread.isEmpty ? 0 : attempts + 1
            // For each record that cannot be read now, store a value that differs from its current word, so that the next
            // check sees a change and reads the record again. After a minute, give up until the record changes.
            if attempts < 120 {
                for index in unread.isEmpty ? [] : unread.union([0]) { words[index] = ~words[index] }
            } else {
                attempts = 0
            }
            seen = words
        }
    }
}

extension RecordReader {
    /// Calls `tell` with each record whose word in the file `notice` has one of the indices `words`.
    /// - Parameter collections: the collections to read; `nil` for all.
    /// - Returns: the indices with a record that cannot be read now, such as on a disk that is not mounted.
    fileprivate func forEachRecord(
        in collections: Set<StoreKey.Collection>?, withWordIn words: Set<Int>, _ tell: (StoreRecord) -> Void
    ) -> Set<Int> {
        guard let collections = collections.map({ Array($0) }) ?? (try? folder.collections()) else { return words }
        var unread: Set<Int> = []
        for collection in collections {
            guard let hashes = try? hashes(in: collection) else {
                unread = words
                continue
            }
            for hash in hashes where words.contains(ChangeNotice.index(ofHash: hash)) {
                do throws(TokenStoreError) {
                    if let record = try record(withHash: hash, in: collection) { tell(record) }
                } catch .corrupt, .tooNew {
                    // Do not try again, because only another write can repair the record. A direct read throws the error.
                } catch {
                    unread.insert(ChangeNotice.index(ofHash: hash))
                }
            }
        }
        return unread
    }
}
