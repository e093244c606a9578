import Foundation
import IdentityKit

/// What authorization and logout requests leave behind until somebody comes back for it.
struct AuthorizationStore: Sendable {
    /// Requests that wait for a sign-in, by `authId`.
    let pending: ExpiringStore<AuthorizationRequest>
    /// Requests that were pushed and not used, by the last part of their `request_uri`.
    let pushed: ExpiringStore<AuthorizationRequest>
    /// Sign-outs that wait for their flow, by `logoutId`.
    let signOuts: ExpiringStore<String>
    /// Codes, also the consumed ones.
    let codes: AuthorizationCodes

    static let pushedLifetime: Int64 = 60

    init(time: TimeSource) {
        pending = ExpiringStore(lifetime: .seconds(3600), time: time)
        pushed = ExpiringStore(lifetime: .seconds(Self.pushedLifetime), time: time)
        signOuts = ExpiringStore(lifetime: .seconds(1800), time: time)
        codes = AuthorizationCodes(time: time)
    }
}

/// Values that are taken out once and do not wait for ever. Whoever puts one in throws out those that waited too long.
final class ExpiringStore<Value: Sendable>: Sendable {
    private let entries = Locked<[String: (value: Value, expiresAt: Date)]>([:])
    private let lifetime: Duration
    private let time: TimeSource

    init(lifetime: Duration, time: TimeSource) {
        self.lifetime = lifetime
        self.time = time
    }

    func insert(_ value: Value, for key: String) {
        let now = time.now
        entries.withLock { entries in
            entries = entries.filter { now < $1.expiresAt }
            entries[key] = (value, now + lifetime.timeInterval)
        }
    }

    /// How many are kept.
    var count: Int { entries.withLock { $0.count } }

    /// A value that stays where it is.
    func value(_ key: String) -> Value? {
        entries.withLock { $0[key] }.flatMap { time.now < $0.expiresAt ? $0.value : nil }
    }

    /// What still waits, latest first.
    var waiting: [Value] {
        let now = time.now
        return entries.withLock { Array($0.values) }.filter { now < $0.expiresAt }
            .sorted { $0.expiresAt > $1.expiresAt }.map(\.value)
    }

    func take(_ key: String) -> Value? {
        let entry = entries.withLock { $0.removeValue(forKey: key) }
        return entry.flatMap { time.now < $0.expiresAt ? $0.value : nil }
    }
}

/// What a code stands for.
struct AuthorizationCode: Sendable {
    let request: AuthorizationRequest
    let userID: String
    let attributeCacheID: String?
    let authenticationTime: Int64
    /// `acr`, when the flow reached a class.
    let authenticationClass: String?
    /// The family of the tokens it will bring.
    let familyID: String
    let expiresAt: Date
}

/// The codes that were handed out. A consumed one is kept, so that it is known when it comes again.
final class AuthorizationCodes: Sendable {
    enum Redemption: Sendable {
        case fresh(AuthorizationCode)
        case replayed(familyID: String)
        case unknown
    }

    private struct Entry: Sendable {
        let code: AuthorizationCode
        var isConsumed = false
    }

    private static let lifetime: Duration = .seconds(600)

    private let entries = Locked<[String: Entry]>([:])
    private let time: TimeSource

    init(time: TimeSource) {
        self.time = time
    }

    /// Hands out a code.
    func issue(
        for request: AuthorizationRequest, userID: String, attributeCacheID: String?, authenticationTime: Int64,
        authenticationClass: String?
    ) -> String {
        let text = LocalIdentifiers.base64URL(byteCount: 20)
        let code = AuthorizationCode(
            request: request, userID: userID, attributeCacheID: attributeCacheID,
            authenticationTime: authenticationTime, authenticationClass: authenticationClass,
            familyID: LocalIdentifiers.uuid7(at: time.now),
            expiresAt: time.now + Self.lifetime.timeInterval)
        entries.withLock { $0[text] = Entry(code: code) }
        return text
    }

    /// Consumes a code, whatever the rest of the request is worth. One of another client stays as it is.
    func consume(_ text: String, clientID: String) -> Redemption {
        entries.withLock { entries in
            guard let entry = entries[text], entry.code.request.application.clientID == clientID else {
                return .unknown
            }
            guard !entry.isConsumed else { return .replayed(familyID: entry.code.familyID) }
            entries[text]?.isConsumed = true
            return .fresh(entry.code)
        }
    }
}
