import Foundation
import IdentityKit

/// Recognizes Ed25519 public keys (RFC 8032 section 5.1) that are points of small order. No private key belongs to such
/// a point, and anybody can make signatures that count as valid under such a key for many messages.
enum SmallOrderPoint {
    /// The encoded `y` coordinates of the eight points of small order, with the sign bit of `x` cleared: -1, 0, 1, and
    /// the two coordinates of the points of order eight. The coordinates 0 and 1 each have a second encoding: the sum
    /// of the coordinate and the prime of the field.
    private static let coordinates: Set = [
        String(repeating: "0", count: 64), "01" + String(repeating: "0", count: 62), atTheEnd("ec"), atTheEnd("ed"),
        atTheEnd("ee"), "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]

    private static func atTheEnd(_ first: String) -> String { first + String(repeating: "f", count: 60) + "7f" }

    /// Whether the point, in its encoding of 32 bytes, has a small order. The sign bit of `x` is ignored.
    static func matches(_ point: Data) -> Bool {
        coordinates.contains((point.dropLast() + [(point.last ?? 0) & 0x7F]).hexEncoded)
    }
}
