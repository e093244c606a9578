import Foundation
import IdentityOAuth
import IdentityStoreFormat

@testable import IdentityKit

/// What a store holds: the first line says what, the rest is the content.
enum Records {
    private static let key = StoreKey(.accounts, "work/alice")
    private static let seal = RecordSeal(key: [UInt8](repeating: 7, count: 32))
    private static let decoder = JSONDecoder()
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static let readers: [(name: String, value: @Sendable (Data) throws -> Void)] = [
        ("file", { try readFile($0) }),
        // No fuzzer finds a digest, so the envelope is made here.
        ("document", { try readFile(Data(RecordEnvelope(around: Array($0)).bytes)) }),
        ("session", readSession),
        ("sealed", readSealed),
        ("intent", readIntent),
        ("flow", readFlow),
        ("choice", { _ = try CurrentAccount(reading: $0).account.id }),
        ("name", readName),
    ]

    @Sendable static func read(_ input: FuzzInput) {
        let (line, rest) = input.parts
        do {
            try FuzzInput.choose(line, from: readers)(rest.data)
        } catch {
            error.tell()
        }
    }

    private static func readFile(_ bytes: Data) throws {
        let file = try RecordFile(bytes, path: "record")
        let again = try RecordFile(file.encoded(), path: "record")
        rule(again.record == file.record, "a record is another when it is read again")
        rule(again.unknownMembers == file.unknownMembers, "a member of a later version was lost")
    }

    private static func readSession(_ content: Data) throws {
        guard case .live(let credential)? = try SessionRecord(StoreRecord(key: key, generation: 1, content: content))
        else { return }
        _ = (credential.isValid(at: now), credential.hasEnded(at: now))
        _ = RefreshSchedule(jitter: 0.1).urgency(of: credential, at: now)
        guard let encoded = try? SessionRecord.live(credential).encoded() else { return }
        guard case .live(let again)? = try SessionRecord(StoreRecord(key: key, generation: 1, content: encoded)) else {
            return rule(false, "a session is none when it is read again")
        }
        rule(again.accessToken == credential.accessToken, "a session has another token when it is read again")
        rule(again.refreshToken == credential.refreshToken, "a session lost its refresh token")
    }

    private static func readSealed(_ content: Data) throws {
        let place = RecordSeal.Place(collection: "accounts", name: "work/alice", generation: 3)
        let sealed = try seal.seal(content, at: place)
        rule(try seal.open(sealed, at: place) == content, "a sealed content is another when it is opened")
        let other = RecordSeal.Place(collection: "accounts", name: "work/alice", generation: 4)
        rule((try? seal.open(sealed, at: other)) == nil, "a content opens in another place")
        _ = try seal.open(content, at: place)
        rule(false, "a content that nobody sealed was opened")
    }

    private static func readIntent(_ content: Data) throws {
        let intent = try decoder.decode(RefreshIntent.self, from: content)
        _ = intent.sentAt.isWithin(.seconds(60), before: now)
        for policy in [ReplayPolicy.always, .parentAlways, .window(.seconds(60)), .never, .signInInstead] {
            for isUsable in [true, false] {
                _ = policy.verdict(on: intent, isAccessTokenUsable: isUsable, hasSenderEnded: false, at: now)
            }
        }
    }

    private static func readFlow(_ content: Data) throws {
        let pending = try decoder.decode(PendingAuthorization.self, from: content)
        let verifier = pending.codeVerifier.secret.reveal()
        rule(43...128 ~= verifier.utf8.count, "a code verifier that nobody may use was taken")
        guard let url = URL(string: "https://app.example.com/callback?code=1&state=2") else { return }
        _ = try AuthorizationResponse(callbackURL: url).authorizationCode(for: pending, at: now)
    }

    private static func readName(_ content: Data) throws {
        guard let account = AccountID(id: String(decoding: content, as: UTF8.self)) else { return }
        rule(AccountID(id: account.id) == account, "an account is another when its name is read again")
    }
}
