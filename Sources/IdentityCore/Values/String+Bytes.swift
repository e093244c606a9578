import Foundation

// OAuth and OpenID Connect compare identifiers code point by code point (RFC 8259 section 8.3, RFC 7519 section 2, OpenID
// Connect Core section 2). Swift's `==`, `Set` and `Dictionary` also treat canonically equivalent texts as equal, such
// as "K" and the Kelvin sign. With them, two accounts, clients or records could count as one.
extension String {
    /// Whether both texts have the same code points.
    package func hasBytes(of other: String?) -> Bool {
        // Compare lengths first, which settles most mismatches without reading the bytes. The time depends on the
        // contents, so IdentityOAuth compares secrets in another way.
        guard let other, utf8.count == other.utf8.count else { return false }
        // Compare the memory if both texts are stored as contiguous UTF-8, as native Swift strings are.
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes -> Bool? in
            other.utf8.withContiguousStorageIfAvailable { otherBytes -> Bool in
                guard let start = bytes.baseAddress, let otherStart = otherBytes.baseAddress else { return true }
                return memcmp(start, otherStart, bytes.count) == 0
            }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// Whether both texts have the same code points, or both are missing.
    package func hasBytes(of other: String?) -> Bool {
        guard let self else { return other == nil }
        return self.hasBytes(of: other)
    }
}

extension Sequence<String> {
    /// Whether one of the elements has the code points of `text`.
    package func containsBytes(of text: String) -> Bool { contains { $0.hasBytes(of: text) } }
}

extension Hasher {
    /// Hashes the UTF-8 bytes of a text and a terminator, so that "ab" and "c" hash differently from "a" and "bc".
    package mutating func combine(bytesOf text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        // 0xFF never occurs in UTF-8.
        combine(UInt8.max)
    }
}

/// A text that is compared and hashed by its bytes.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasBytes(of: right.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}
