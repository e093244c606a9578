import Foundation
import IdentityKit

/// Recognizes Ed25519 public keys that are points of small order (RFC 8032 section 5.1). No private number belongs to
/// them, and anybody can write signatures that verify for many messages.
enum SmallOrderPoint {
    /// The `y` coordinates, without sign, of the eight points: 0, 1, -1 and those of order eight, also in their
    /// encodings beyond the field's prime.
    private static let coordinates: Set = [
        String(repeating: "0", count: 64), "01" + String(repeating: "0", count: 62), atTheEnd("ec"), atTheEnd("ed"),
        atTheEnd("ee"), "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]

    private static func atTheEnd(_ first: String) -> String { first + String(repeating: "f", count: 60) + "7f" }

    /// Whether the encoded point is of small order.
    static func matches(_ point: Data) -> Bool {
        coordinates.contains((point.dropLast() + [(point.last ?? 0) & 0x7F]).hexEncoded)
    }
}
