import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, RFC 7515 appendix C).
public enum Base64URL {
    /// Encodes bytes as text of the characters `A` to `Z`, `a` to `z`, `0` to `9`, `-` and `_`, without `=` at the end.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> bitCount) & 63])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (6 - bitCount)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text. Returns `nil` for a character outside the alphabet, such as `=`, `+`, `/` or white space, and for
    /// an impossible length. Unused bits of the last character must be zero, so that each value has exactly one
    /// encoding.
    public static func decode(_ text: some StringProtocol) -> Data? {
        decode(text.utf8)
    }

    static func decode(_ text: some Collection<UInt8>) -> Data? {
        text.withContiguousStorageIfAvailable(decode) ?? Array(text).withUnsafeBufferPointer(decode)
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
        let values = values
        var bytes = [UInt8]()
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // Six leftover bits mean a single trailing character, which encodes no byte; two or four leftover bits must be zero.
        guard bitCount < 6, bits & (1 << bitCount - 1) == 0 else { return nil }
        return Data(bytes)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The 6-bit value of each character, indexed by its ASCII byte; 255 for a byte outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
