/// Tells one content of a file from the next (FNV-1a of 64 bits). It is no proof against somebody who wants two contents
/// to look the same: whoever can write the files it is taken of needs no such art.
package struct Fingerprint: Equatable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The fingerprint of `bytes`.
    package init(of bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    /// Goes on with a text.
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    /// The fingerprint in digits.
    package var text: String { "\(value)" }
}
