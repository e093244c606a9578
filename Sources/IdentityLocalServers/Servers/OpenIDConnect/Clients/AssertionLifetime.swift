import Foundation
import IdentityKit

/// When a client's assertion is good (RFC 7523 section 3, rules 4 to 6): strictly, because one that is good for long is a
/// password.
enum AssertionLifetime {
    /// How far a client's clock may be ahead, in seconds.
    private static let tolerance: Double = 60
    /// How long an assertion may be good for, and how old it may be, in seconds.
    private static let longest: Double = 600

    /// Whether `exp` has not passed and is not far away, and `iat` and `nbf`, where they are, have passed.
    static func isValid(_ claims: JSONValue, at date: Date) -> Bool {
        let now = date.timeIntervalSince1970
        guard let expiry = claims["exp"]?.numberValue, expiry > now, expiry <= now + longest + tolerance else {
            return false
        }
        return ["iat", "nbf"].allSatisfy { name in
            guard let claim = claims[name] else { return true }
            return claim.numberValue.map { now - longest...now + tolerance ~= $0 } ?? false
        }
    }
}
