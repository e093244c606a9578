import Foundation

/// The subset of CBOR (RFC 8949) that an attestation object and a COSE key need: integers, bytes, text, arrays and maps of
/// definite length.
indirect enum CBORValue: Sendable, Hashable {
    case integer(Int64)
    case bytes(Data)
    case text(String)
    case array([CBORValue])
    case map([CBORValue: CBORValue])

    /// Decodes the first item of `data`, and ignores the rest; `nil` if the item is truncated, unsupported or too deeply
    /// nested.
    init?(decoding data: some Sequence<UInt8>) {
        var reader = Reader(bytes: Array(data)[...])
        guard let value = reader.next(depth: 0) else { return nil }
        self = value
    }

    subscript(name: String) -> CBORValue? { self[.text(name)] }
    subscript(number: Int64) -> CBORValue? { self[.integer(number)] }

    private subscript(key: CBORValue) -> CBORValue? {
        if case .map(let entries) = self { entries[key] } else { nil }
    }

    /// The encoding, with map entries sorted by the bytes of their encoded keys (RFC 8949 section 4.2.1). Lengths and
    /// integers must be less than 65,536.
    var encoded: Data {
        switch self {
        case .integer(let value) where value < 0: Self.head(1, UInt64(-1 - value))
        case .integer(let value): Self.head(0, UInt64(value))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Data(text.utf8)
        case .array(let items): items.reduce(Self.head(4, UInt64(items.count))) { $0 + $1.encoded }
        case .map(let entries):
            entries.map { ($0.encoded, $1.encoded) }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }
                .reduce(Self.head(5, UInt64(entries.count))) { $0 + $1.0 + $1.1 }
        }
    }

    private static func head(_ type: UInt8, _ count: UInt64) -> Data {
        switch count {
        case ..<24: Data([type << 5 | UInt8(count)])
        case ..<0x100: Data([type << 5 | 24, UInt8(count)])
        default: Data([type << 5 | 25, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)])
        }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func next(depth: Int) -> CBORValue? {
            guard depth < 8, let (type, count) = head() else { return nil }
            switch type {
            case 0: return Int64(exactly: count).map(CBORValue.integer)
            case 1: return Int64(exactly: count).map { .integer(-1 - $0) }
            case 2: return take(count).map { .bytes($0) }
            case 3: return take(count).map { .text(String(decoding: $0, as: UTF8.self)) }
            case 4:
                var items: [CBORValue] = []
                for _ in 0..<count {
                    guard let item = next(depth: depth + 1) else { return nil }
                    items.append(item)
                }
                return .array(items)
            case 5:
                var entries: [CBORValue: CBORValue] = [:]
                for _ in 0..<count {
                    guard let key = next(depth: depth + 1), let value = next(depth: depth + 1) else { return nil }
                    entries[key] = value
                }
                return .map(entries)
            default: return nil
            }
        }

        private mutating func head() -> (type: UInt8, count: UInt64)? {
            guard let first = bytes.popFirst() else { return nil }
            let size: Int
            switch first & 0x1F {
            case let count where count < 24: return (first >> 5, UInt64(count))
            case 24: size = 1
            case 25: size = 2
            case 26: size = 4
            default: return nil
            }
            guard let digits = take(UInt64(size)) else { return nil }
            return (first >> 5, digits.reduce(0) { $0 << 8 | UInt64($1) })
        }

        private mutating func take(_ count: UInt64) -> Data? {
            guard count <= UInt64(bytes.count) else { return nil }
            let taken = bytes.prefix(Int(count))
            bytes = bytes.dropFirst(Int(count))
            return Data(taken)
        }
    }
}
