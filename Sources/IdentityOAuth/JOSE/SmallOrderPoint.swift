import Foundation
import IdentityKit

/// Tells public keys of Ed25519 that are a point of small order (RFC 8032 section 5.1). Their owner has no private number, and
/// for such a key anybody can write signatures that are good for many messages.
enum SmallOrderPoint {
    /// The `y` of the eight points without its sign, also where it is written as a number beyond the field: 0, 1, -1, and
    /// those of the points of order eight.
    private static let coordinates: Set = [
        String(repeating: "0", count: 64), "01" + String(repeating: "0", count: 62), atTheEnd("ec"), atTheEnd("ed"),
        atTheEnd("ee"), "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]

    private static func atTheEnd(_ first: String) -> String { first + String(repeating: "f", count: 60) + "7f" }

    /// Whether the point with this encoding is one of them.
    static func matches(_ point: Data) -> Bool {
        coordinates.contains((point.dropLast() + [(point.last ?? 0) & 0x7F]).hexEncoded)
    }
}
