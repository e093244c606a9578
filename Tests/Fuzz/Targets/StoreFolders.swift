import Foundation
import IdentityStoreFormat

@testable import IdentityKit

/// The files of a store, which another program may have written or a broken disk changed: the first line says which file
/// the rest is. The others are missing.
struct StoreFolders: Sendable {
    private let folder: StoreFolder
    private let reader: RecordReader
    private let files = ScratchFiles()
    private let record: String

    private static let account = StoreKey(.accounts, "work/alice")
    private static let refresh = StoreKey(.refreshes, "work/alice")
    private static let title = Data("swift-identity-record".utf8)

    init() {
        let folder = made { [files] in try StoreFolder(path: files.folder + "/store") }
        self.folder = folder
        reader = RecordReader(folder: folder)
        record = folder.record(Self.account)
        // A folder without it is no store, and nothing in it is looked at.
        files.write(Data(Self.description.utf8), to: folder.description)
    }

    private static let description =
        #"{"format":"swift-identity-store","identifier":"1","protection":"none","version":1}"#

    @Sendable func read(_ input: FuzzInput) {
        let (line, rest) = input.parts
        do {
            try FuzzInput.choose(
                line,
                from: [
                    ("store", readDescription), ("account", readAccount), ("document", readDocument),
                    ("listing", readListing), ("notice", readNotice),
                ])(rest.data)
        } catch {
            error.tell()
        }
    }

    private func readDescription(_ content: Data) throws {
        files.write(content, to: folder.description)
        rule(try StoreDescription.read(in: folder.path) != nil, "a store that is there is not seen")
    }

    private func readAccount(_ content: Data) throws {
        files.write(content, to: record)
        guard let file = try reader.file(for: Self.account) else { return rule(false, "a record is taken for missing") }
        rule(file.record.key == Self.account, "the record of something else was taken")
    }

    /// In an envelope with the right digest, which no fuzzer finds.
    private func readDocument(_ content: Data) throws {
        try readAccount(Data(RecordEnvelope(around: Array(content)).bytes))
    }

    /// Of another collection, in an envelope or not.
    private func readListing(_ content: Data) throws {
        let hasTitle = content.starts(with: Self.title)
        files.write(
            hasTitle ? content : Data(RecordEnvelope(around: Array(content)).bytes), to: folder.record(Self.refresh))
        let listing = try reader.listing(of: .refreshes)
        rule(listing.records.count + listing.failures.count == 1, "a record is neither read nor reported")
        for record in listing.records { rule(record.key == Self.refresh, "the record of something else was taken") }
        for failure in listing.failures { failure.tell() }
    }

    private func readNotice(_ content: Data) {
        files.write(content, to: folder.notice)
        guard let notice = ChangeCounter(path: folder.notice).notice else {
            return rule(false, "words were not mapped")
        }
        rule(notice.snapshot.count == ChangeNotice.wordCount, "some words are missing")
    }
}
