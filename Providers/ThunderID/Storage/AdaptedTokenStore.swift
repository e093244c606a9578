import Foundation
import IdentityKit

/// A token store on top of a ``StorageAdapter``. Each record is stored as JSON text, with its generation: a number that
/// increases with every write. A write that replaces an outdated generation is refused, and a lease lets only one caller at a
/// time refresh a session. Both work only within this object, so all clients of a storage must share one object
/// (``open(_:)``). Several processes must not use the same storage.
final class AdaptedTokenStore: TokenStore {
    private let adapter: any StorageAdapter
    private let leases = ProcessLeases()
    private let feed = ChangeFeed()
    /// Locked while a record is read and replaced, so that no other write comes between.
    private let writing = Locked(false)

    init(_ adapter: any StorageAdapter) {
        self.adapter = adapter
    }

    func record(for key: StoreKey) async throws -> StoreRecord? {
        try read(key)
    }

    func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        var listing = StoreListing()
        let names: [String]
        do {
            names = try self.names(in: collection)
        } catch let error as TokenStoreError where error.isAboutContent {
            listing.failures.append(error)
            // Replace the unreadable list by an empty one, so that the error is reported only once and the person can sign in
            // again. The next write of a record adds the record's name to the new list.
            try writing.withLock { _ in try store("[]", under: Self.index(collection)) }
            return listing
        }
        for name in names {
            do {
                if let record = try read(StoreKey(collection, name)) { listing.records.append(record) }
            } catch let error as TokenStoreError {
                listing.failures.append(error)
            }
        }
        return listing
    }

    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        let record = try writing.withLock { _ in
            let current = try read(key)?.generation ?? 0
            guard current == generation else { throw TokenStoreError.conflict(key, current: current) }
            return try put(StoreRecord(key: key, generation: generation + 1, content: content))
        }
        feed.send(StoreChange(record))
        return record
    }

    func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        leases.lease(for: key, of: self)
    }

    func quarantine(_ key: StoreKey) async throws {
        let record: StoreRecord? = try writing.withLock { _ in
            do {
                _ = try read(key)
                return nil
            } catch TokenStoreError.corrupt {
                return try put(StoreRecord(erasing: key, afterDamageAt: Date()))
            }
        }
        if let record { feed.send(StoreChange(record)) }
    }

    func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        feed.stream(of: collection)
    }

    private struct Entry: Codable {
        let generation: UInt64
        let content: Data?
    }

    /// Returns the adapter's key for a record, in ASCII. An adapter may compare keys as `String` does, and `String` treats
    /// some different Unicode texts as equal.
    private static func text(_ key: StoreKey) -> String {
        let name = key.name.utf8.map { byte in
            byte < 0x80 && byte != UInt8(ascii: "%")
                ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        return "swift-identity.\(key.collection.rawValue)." + name.joined()
    }

    private static func index(_ collection: StoreKey.Collection) -> String {
        "swift-identity.\(collection.rawValue)"
    }

    private func read(_ key: StoreKey) throws -> StoreRecord? {
        guard let text = try reporting(key.name, { try adapter.retrieve(key: Self.text(key)) }) else { return nil }
        guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(text.utf8)),
            StoreRecord.generations.contains(entry.generation)
        else {
            throw TokenStoreError.corrupt(path: key.name, detail: "it is no record")
        }
        return StoreRecord(key: key, generation: entry.generation, content: entry.content)
    }

    private func put(_ record: StoreRecord) throws -> StoreRecord {
        let entry = Entry(generation: record.generation, content: record.content)
        let text = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
        // Write the list of names before the record. A name without a record is harmless, but `records(in:)` would not
        // find a record without a name in the list.
        var names: [String]
        do {
            names = try self.names(in: record.key.collection)
        } catch TokenStoreError.corrupt {
            names = []
        }
        if !names.containsBytes(of: record.key.name) {
            names.append(record.key.name)
            let list = String(decoding: try JSONEncoder().encode(names.sorted()), as: UTF8.self)
            try store(list, under: Self.index(record.key.collection))
        }
        try store(text, under: Self.text(record.key))
        return record
    }

    /// Returns the names of the records of a collection.
    /// - Throws: ``/IdentityCore/TokenStoreError/corrupt(path:detail:)`` if the list cannot be decoded; another
    ///   ``/IdentityCore/TokenStoreError`` if the adapter fails.
    private func names(in collection: StoreKey.Collection) throws -> [String] {
        let text = try reporting(collection.rawValue) { try adapter.retrieve(key: Self.index(collection)) }
        guard let text else { return [] }
        guard let names = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) else {
            throw TokenStoreError.corrupt(path: collection.rawValue, detail: "it is no list of names")
        }
        return names
    }

    private func store(_ text: String, under key: String) throws {
        do {
            try adapter.store(key: key, value: text)
        } catch let error as TokenStoreError {
            throw error
        } catch {
            throw TokenStoreError.notWritable(path: key, detail: error.localizedDescription)
        }
    }

    private func reporting<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as TokenStoreError {
            throw error
        } catch {
            throw TokenStoreError.unreadable(path: path, detail: error.localizedDescription)
        }
    }
}
