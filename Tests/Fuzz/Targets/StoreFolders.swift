import Foundation
import StoreFormat

@testable import IdentityKit

/// The files of a store, which another program may have written or a broken disk changed. Each begins with a line
/// `--- name`; the names are those of ``StoreFolders/names``.
struct StoreFolders: Sendable {
    private let folder: StoreFolder
    private let reader: RecordReader
    private let files: ScratchFiles

    private static let accounts = StoreKey(.accounts, "work/alice")
    private static let renewals = StoreKey(.renewals, "work/alice")
    /// What a file is called in an input, and where it lies. A document is put into an envelope with the right digest.
    private static let names = ["store", "account", "document", "renewal", "notice"]

    init() {
        let files = ScratchFiles()
        folder = made { try StoreFolder(path: files.folder + "/store") }
        reader = RecordReader(folder: folder)
        self.files = files
    }

    @Sendable func read(_ input: FuzzInput) {
        // Every file that an input does not mention is as it is without any input.
        var contents = [folder.description: Data(Self.description.utf8)]
        for path in [folder.record(Self.accounts), folder.record(Self.renewals), folder.notice] {
            contents[path] = Data()
        }
        for section in Self.sections(of: input) { put(section.content, as: section.name, in: &contents) }
        for (path, content) in contents { files.write(content, to: path) }
        readStore()
    }

    private func put(_ content: Data, as name: String, in contents: inout [String: Data]) {
        switch name {
        case "account": contents[folder.record(Self.accounts)] = content
        case "document":
            contents[folder.record(Self.accounts)] = Data(RecordEnvelope(around: Array(content)).bytes)
        case "renewal": contents[folder.record(Self.renewals)] = content
        case "notice": contents[folder.notice] = content
        default: contents[folder.description] = content
        }
    }

    private func readStore() {
        do {
            let description = try StoreDescription.read(in: folder.path)
            rule(description != nil, "a store that is there is not seen")
            for key in [Self.accounts, Self.renewals] {
                let listing = try reader.listing(of: key.collection)
                rule(listing.records.count + listing.failures.count == 1, "a record is neither read nor reported")
                for record in listing.records { rule(record.key == key, "the record of something else was taken") }
                _ = try reader.file(for: key)
            }
        } catch {
            error.tell()
        }
        let notice = NoticeBoard(path: folder.notice)
        _ = notice.notice?.snapshot.count
    }

    private static let description =
        #"{"format":"swift-identity-store","identifier":"1","protection":"none","version":1}"#

    private static func sections(of input: FuzzInput) -> [(name: String, content: Data)] {
        var sections: [(name: String, content: Data)] = []
        let mark = Data("--- ".utf8)
        for part in input.data.split(separator: mark, maxSplits: 4) {
            let (line, rest) = FuzzInput(Data(part)).parts
            let name = FuzzInput.choose(line, from: names.map { ($0, $0) })
            sections.append((name, rest.data))
        }
        return sections
    }
}

extension Data {
    /// The parts between the occurrences of `separator`.
    fileprivate func split(separator: Data, maxSplits: Int) -> [Data] {
        var parts: [Data] = []
        var rest = self[...]
        while parts.count < maxSplits, let next = rest.range(of: separator) {
            parts.append(Data(rest[..<next.lowerBound]))
            rest = rest[next.upperBound...]
        }
        return parts + [Data(rest)]
    }
}
