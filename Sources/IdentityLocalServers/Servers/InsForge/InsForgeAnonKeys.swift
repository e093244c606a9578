import Foundation
import IdentityKit

/// The project's anonymous keys: the current one, and earlier ones during their grace period.
final class InsForgeAnonKeys: Sendable {
    struct State: Codable, Sendable {
        let configured: String
        fileprivate(set) var current: String
        fileprivate(set) var expiries: [String: Date] = [:]
    }

    private let state: Locked<State>
    private let time: TimeSource

    /// - Parameter saved: the keys of an earlier run of the server; `nil` for none. They are ignored if the configured key
    ///   has changed since then.
    init(_ key: String, restoring saved: State? = nil, time: TimeSource) {
        let saved = saved.flatMap { $0.configured == key ? $0 : nil }
        state = Locked(saved ?? State(configured: key, current: key))
        self.time = time
    }

    var saved: State { state.withLock { $0 } }

    var current: String { state.withLock { $0.current } }

    func accepts(_ key: String) -> Bool {
        let now = time.now
        return state.withLock { state in
            key == state.current || state.expiries[key].map { now < $0 } ?? false
        }
    }

    /// Makes a new key. The previous one stays valid for another `hours` hours.
    /// - Returns: the new key, and the time until which the old one is valid.
    func rotate(graceHours hours: Double) -> (key: String, oldKeyExpiresAt: Date) {
        let expiry = time.now + hours * 3600
        return state.withLock { state in
            state.expiries[state.current] = expiry
            state.current = "anon_" + LocalIdentifiers.hex(byteCount: 32)
            return (state.current, expiry)
        }
    }
}

extension InsForgeCall {
    func rotateAnonKey() throws -> LocalResponse {
        try verifyAdmin()
        var fields = fields
        let hours = fields.optionalNumber("gracePeriodHours") ?? 168
        if hours < 0 { fields.complain(about: "gracePeriodHours", "Number must be greater than or equal to 0") }
        try fields.check()
        let (key, expiry) = backend.anonKeys.rotate(graceHours: hours)
        return .insForge([
            "success": true, "message": "Anon key rotated successfully", "anonKey": .string(key),
            "oldKeyExpiresAt": .string(expiry.insForgeText),
        ])
    }
}
