import Foundation
import IdentityKit
import IdentityStoreFormat

@testable import IdentityOAuth
@testable import identity_launcher

/// The launcher's readers: the first line says what the rest is.
struct LauncherReaders: Sendable {
    private let files = ScratchFiles()
    private let seal: RecordSeal
    private let shortcut: TokenShortcut

    private static let key = [UInt8](repeating: 7, count: 32)

    init() {
        seal = RecordSeal(key: Self.key)
        var shortcut = TokenShortcut()
        shortcut.store = files.folder + "/store"
        shortcut.keyFile = files.folder + "/key"
        shortcut.record = "accounts/record"
        shortcut.account = "work/alice"
        shortcut.backend = "https://id.example.com"
        shortcut.providerType = "openid-connect"
        shortcut.clientID = "client"
        self.shortcut = shortcut
        files.write(Data(Data(Self.key).base64EncodedString().utf8), to: shortcut.keyFile)
    }

    @Sendable func read(_ input: FuzzInput) {
        let (line, rest) = input.parts
        FuzzInput.choose(
            line,
            from: [
                ("json", readJSON), ("session", readSession), ("record", readRecord), ("key", readKey),
                ("store", readStore),
            ])(rest.data)
    }

    /// Both readers of JSON agree: what the strict one takes, the launcher's takes as well, with the same texts.
    private func readJSON(_ content: Data) {
        let bytes = Array(content)
        var reader = JSONReader(bytes)
        let isSkipped = (try? reader.skip()) != nil
        guard let value = try? StrictJSON.parse(content) else { return }
        rule(isSkipped, "the launcher refuses what others read")
        switch value {
        case .string(let text):
            var reader = JSONReader(bytes)
            rule((try? reader.string()) == text, "the launcher reads another text")
        case .integer, .number:
            var reader = JSONReader(bytes)
            rule((try? reader.number().value) == value.numberValue, "the launcher reads another number")
        case .object(let members):
            var reader = JSONReader(bytes)
            var names: Set<String> = []
            try? reader.members { name, reader throws(JSONReader.SyntaxError) in
                names.insert(name)
                try reader.skip()
            }
            rule(names == Set(members.keys), "the launcher reads other names")
        default: break
        }
    }

    /// A session in a sealed record: what the launcher prints is what the tool would.
    private func readSession(_ content: Data) {
        let place = RecordSeal.Place(collection: "accounts", name: shortcut.account, generation: 3)
        let sealed = made { try seal.seal(content, at: place) }
        let document = #"{"content":"\#(sealed.base64EncodedString())","generation":3}"#
        files.write(Data(RecordEnvelope(around: Array(document.utf8)).bytes), to: path)
        guard let session = StoredSession(at: shortcut) else { return }
        rule(!session.accessToken.isEmpty, "the launcher prints nothing for a token")
        let isFresh = session.urgency(at: Date(timeIntervalSince1970: 1_800_000_000)) == TokenLifetime.Urgency.none
        // Foundation's reader takes the first of two members, and repairs what is no UTF-8; only the strict one's count.
        guard let members = try? StrictJSON.parseObject(content), let stored = members["credential"] else { return }
        rule(stored["accessToken"]?.stringValue == session.accessToken, "the launcher prints another token")
        rule(stored["backend"]?.stringValue == shortcut.backend, "the launcher prints a token of another server")
        rule(stored["clientID"]?.stringValue == shortcut.clientID, "the launcher prints a token of another client")
        rule(
            stored["providerType"]?.stringValue == shortcut.providerType, "the launcher prints a token of another type")
        if isFresh, let end = stored["sessionEndsAt"]?.numberValue {
            rule(Date(timeIntervalSinceReferenceDate: end).timeIntervalSince1970 > 1_800_000_000, "an ended session")
        }
    }

    /// A record's file as it is, or with the envelope's first line made here.
    private func readRecord(_ content: Data) {
        let hasTitle = content.starts(with: Data("swift-identity-record".utf8))
        files.write(hasTitle ? content : Data(RecordEnvelope(around: Array(content)).bytes), to: path)
        rule(StoredSession(at: shortcut) == nil, "the launcher took a record that nobody sealed")
    }

    /// What a store says of itself.
    private func readStore(_ content: Data) {
        files.write(content, to: "\(shortcut.store)/\(StoreTitle.file)")
        guard TokenStoreFolder.isSound(shortcut.store), let members = try? StrictJSON.parseObject(content) else {
            return
        }
        rule(members["format"]?.stringValue == StoreTitle.format, "the launcher reads another program's folder")
        rule(members["version"]?.numberValue == Double(StoreTitle.newestVersion), "the launcher reads another version")
        rule(members["protection"]?.stringValue == StoreTitle.keyFileProtection, "the launcher reads without a seal")
    }

    private func readKey(_ content: Data) {
        guard let key = RecordSeal.key(fromText: String(decoding: content, as: UTF8.self)) else { return }
        rule(key.count == 32, "a key of another length was taken")
    }

    private var path: String { "\(shortcut.store)/\(shortcut.record)" }
}
