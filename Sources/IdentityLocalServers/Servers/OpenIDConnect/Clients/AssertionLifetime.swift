import Foundation
import IdentityKit

/// The rules for the lifetime of a client's assertion (RFC 7523 section 3, rules 4 to 6). They are strict, because a
/// long-lived assertion is as good as a password.
enum AssertionLifetime {
    /// How far a client's clock may be ahead, in seconds.
    private static let tolerance: Double = 60
    /// The greatest lifetime and age of an assertion, in seconds.
    private static let longest: Double = 600

    /// Whether `exp` is in the near future, and `iat` and `nbf`, if present, are in the past.
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
