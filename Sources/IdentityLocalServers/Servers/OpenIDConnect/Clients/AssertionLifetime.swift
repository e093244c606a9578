import Foundation
import IdentityKit

/// The rules for `exp`, `nbf` and `iat` of a client's assertion (RFC 7523 section 3, rules 4 to 6) or signed
/// authorization request. The rules demand a short lifetime, because a stolen assertion can be used until it expires.
enum AssertionLifetime {
    /// The number of seconds by which a client's clock may be ahead of the server's clock.
    private static let tolerance: Double = 60
    /// The number of seconds by which `iat` and `nbf` may lie in the past. `exp` may lie in the future by this number plus
    /// the tolerance.
    private static let longest: Double = 600

    /// Returns whether `exp` lies in the next 660 seconds, and `iat` and `nbf`, if present, lie between 600 seconds ago and 60
    /// seconds ahead.
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
