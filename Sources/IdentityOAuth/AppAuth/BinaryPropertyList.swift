import Foundation
import IdentityKit

/// The objects of a binary property list, read one at a time. Every offset and count is checked against the document's size.
struct BinaryPropertyList: Sendable {
    /// An object of the property list. Texts and data are ranges of the document's bytes. Arrays and dictionaries refer to
    /// their members by object number.
    enum Object: Sendable {
        case bool(Bool)
        case number(Double)
        case date(Date)
        case data(Range<Int>)
        case ascii(Range<Int>)
        case utf16(Range<Int>)
        /// A reference to another object of a keyed archive: an index into the archive's list `$objects`.
        case uid(Int)
        case list([Int])
        /// A dictionary: the object numbers of its keys, and then those of its values.
        case dictionary([Int], [Int])
        /// An object that no archive of AppAuth contains: `null`, a filler, or a number of an unusual size, such as an integer
        /// of 128 bits.
        case other
    }

    private let bytes: [UInt8]
    private let trailer: Trailer

    /// Reads the trailer of a document.
    /// - Returns: `nil` if `bytes` do not begin with `bplist`, or if the trailer does not fit the document.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Array("bplist".utf8)), let trailer = Trailer(bytes) else { return nil }
        self.bytes = bytes
        self.trailer = trailer
    }

    /// The number of the outermost object.
    var top: Int { trailer.topObject }

    /// The last 32 bytes of the document. They contain the number of objects, and the position of the table in which
    /// the objects' offsets are.
    private struct Trailer {
        let objectCount: Int
        let topObject: Int
        let offsetTable: Int
        let offsetSize: Int
        let referenceSize: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.count > 40 else { return nil }
            let trailer = bytes.suffix(32)
            offsetSize = Int(trailer[trailer.startIndex + 6])
            referenceSize = Int(trailer[trailer.startIndex + 7])
            func number(at offset: Int) -> Int? {
                let start = trailer.startIndex + offset
                return BinaryPropertyList.number(trailer[start..<start + 8])
            }
            guard let objectCount = number(at: 8), let topObject = number(at: 16), let table = number(at: 24),
                1...8 ~= offsetSize, 1...8 ~= referenceSize, 1...bytes.count ~= objectCount, topObject < objectCount,
                // The objects are between the first eight bytes and the table.
                table >= 9, table <= bytes.count - 32, objectCount * offsetSize <= bytes.count - 32 - table
            else { return nil }
            (self.objectCount, self.topObject, offsetTable) = (objectCount, topObject, table)
        }
    }

    /// Returns the object with this number; `nil` when there is none, or when it is malformed or of an unknown type.
    func object(_ number: Int) -> Object? {
        guard 0..<trailer.objectCount ~= number else { return nil }
        let entry = trailer.offsetTable + number * trailer.offsetSize
        guard let offset = Self.number(bytes[entry..<entry + trailer.offsetSize]), offset >= 8,
            offset < trailer.offsetTable
        else { return nil }
        let marker = bytes[offset]
        switch marker >> 4 {
        case 0x0: return marker == 8 || marker == 9 ? .bool(marker == 9) : .other
        case 0x1: return fixed(marker, at: offset).map(integer)
        case 0x2: return fixed(marker, at: offset).map(real)
        case 0x3:
            guard let value = fixed(0x33, at: offset), case .number(let seconds) = real(value) else { return nil }
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return date.isOnCalendar ? .date(date) : nil
        case 0x4: return content(of: marker, at: offset, unit: 1).map { .data($0) }
        case 0x5, 0x7: return content(of: marker, at: offset, unit: 1).map { .ascii($0) }
        case 0x6: return content(of: marker, at: offset, unit: 2).map { .utf16($0) }
        case 0x8:
            let size = Int(marker & 0x0F) + 1
            guard offset + 1 + size <= trailer.offsetTable else { return nil }
            return Self.number(bytes[offset + 1..<offset + 1 + size]).map { .uid($0) }
        case 0xA, 0xB, 0xC: return references(of: marker, at: offset, each: 1).map { .list($0) }
        case 0xD:
            guard let references = references(of: marker, at: offset, each: 2) else { return nil }
            let half = references.count / 2
            return .dictionary(Array(references[..<half]), Array(references[half...]))
        default: return nil
        }
    }

    /// Returns the text of an object; `nil` when the object is not a text, or when its bytes are not valid UTF-8 or UTF-16.
    func text(of object: Object) -> String? {
        switch object {
        case .ascii(let range): return String(bytes: bytes[range], encoding: .utf8)
        case .utf16(let range): return String(bytes: bytes[range], encoding: .utf16BigEndian)
        default: return nil
        }
    }

    /// Returns the bytes of a number or date. Their count is 2 to the power of the marker's low four bits.
    /// - Returns: `nil` if there are more than 16 bytes, or if they would reach into the table of offsets.
    private func fixed(_ marker: UInt8, at offset: Int) -> ArraySlice<UInt8>? {
        guard marker & 0x0F <= 4 else { return nil }
        let size = 1 << Int(marker & 0x0F)
        guard offset + 1 + size <= trailer.offsetTable else { return nil }
        return bytes[offset + 1..<offset + 1 + size]
    }

    private func integer(_ content: ArraySlice<UInt8>) -> Object {
        guard content.count <= 8 else { return .other }
        let bits = content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .number(content.count == 8 ? Double(Int64(bitPattern: bits)) : Double(bits))
    }

    private func real(_ content: ArraySlice<UInt8>) -> Object {
        let bits = content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch content.count {
        case 4: return .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case 8: return .number(Double(bitPattern: bits))
        default: return .other
        }
    }

    private func references(of marker: UInt8, at offset: Int, each count: Int) -> [Int]? {
        guard let range = content(of: marker, at: offset, unit: trailer.referenceSize * count) else { return nil }
        var references: [Int] = []
        references.reserveCapacity(range.count / trailer.referenceSize)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: trailer.referenceSize) {
            guard let next = Self.number(bytes[start..<start + trailer.referenceSize]), next < trailer.objectCount
            else { return nil }
            references.append(next)
        }
        return references
    }

    /// Returns the range of an object's content, which consists of units of `unit` bytes each. The low four bits of the marker
    /// are the number of units. If they are 15, an integer after the marker has the number instead.
    /// - Returns: `nil` if that integer is malformed, or if the content would reach into the table of offsets.
    private func content(of marker: UInt8, at offset: Int, unit: Int) -> Range<Int>? {
        let end = trailer.offsetTable
        var (start, count) = (offset + 1, Int(marker & 0x0F))
        if count == 0x0F {
            guard start < end, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else { return nil }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard start + 1 + size <= end, let number = Self.number(bytes[start + 1..<start + 1 + size]) else {
                return nil
            }
            (start, count) = (start + 1 + size, number)
        }
        guard count <= (end - start) / unit else { return nil }
        return start..<start + count * unit
    }

    /// Returns a big-endian number; `nil` when it is greater than the largest size of a document.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number <= UInt64(KeyedArchive.maximumSize) ? Int(number) : nil
    }
}
