#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// SHA-256 digest (FIPS 180-4) in lower-case hexadecimal.
package func digest(of bytes: [UInt8]) -> String { digest(of: bytes[...]) }

/// SHA-256 digest of the concatenated parts, in lower-case hexadecimal.
package func digest(of parts: ArraySlice<UInt8>...) -> String {
    var hash = SHA256()
    for part in parts { part.withUnsafeBytes { hash.update(bufferPointer: $0) } }
    var text: [UInt8] = []
    text.reserveCapacity(64)
    hash.finalize().withUnsafeBytes { bytes in
        for byte in bytes {
            text.append(hexadecimalDigit(byte >> 4))
            text.append(hexadecimalDigit(byte & 15))
        }
    }
    return String(decoding: text, as: UTF8.self)
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
