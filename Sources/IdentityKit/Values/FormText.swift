import Foundation
import IdentityStoreFormat

/// Encodes and decodes names and values as `application/x-www-form-urlencoded`.
package enum FormText {
    package static let contentType = "application/x-www-form-urlencoded"

    /// Encodes fields. A space becomes `+`, and each UTF-8 byte except ASCII letters, digits and `*-._` becomes `%XX`.
    package static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { encode($0.name) + "=" + encode($0.value) }.joined(separator: "&")
    }

    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                encoded.append(byte)
            case UInt8(ascii: " "):
                encoded.append(UInt8(ascii: "+"))
            default:
                encoded += escape(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes fields. Empty fields are skipped, and a field without `=` has an empty value. Some servers encode the value of
    /// `error_description` in Latin-1, so this value may be Latin-1 instead of UTF-8. No decision depends on it.
    /// - Returns: the fields in their order. `nil` when a `%` is not followed by two hex digits, or the bytes are not UTF-8,
    ///   because a guess could give other values than the sender meant. Also `nil` when a text would take long to compare,
    ///   because it has too many combining marks in a row (`CombiningMarks`).
    package static func decode(_ text: String) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0]) else { return nil }
            let rest = parts.count == 2 ? parts[1] : parts[0].prefix(0)
            guard let value = Self.text(rest) ?? (name == "error_description" ? Self.text(rest, .isoLatin1) : nil)
            else {
                return nil
            }
            fields.append((name, value))
        }
        return fields
    }

    private static func text(_ piece: some Sequence<UInt8>, _ encoding: String.Encoding = .utf8) -> String? {
        var decoded: [UInt8] = []
        var rest = piece.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"):
                decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default:
                decoded.append(byte)
            }
        }
        guard let text = String(bytes: decoded, encoding: encoding), CombiningMarks.areFew(in: text) else { return nil }
        return text
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    package static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
    }

    /// The value of an ASCII hex digit in upper or lower case; `nil` for any other byte.
    package static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
