/// A hash (64-bit FNV-1a) that distinguishes the contents of files. Not cryptographic, because a user who can write
/// these files gains nothing from a collision.
package struct Fingerprint: Equatable {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init(of bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    package var text: String { "\(value)" }
}
