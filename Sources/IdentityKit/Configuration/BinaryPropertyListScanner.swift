/// Checks the nesting and the expanded size of a binary property list. In this format an object can contain itself, and a
/// small document can expand to any size.
struct BinaryPropertyListScanner {
    /// The largest number of objects, each counted for every reference to it.
    private static let maximumObjects = 100_000
    /// The largest number of bytes of their texts, each counted for every reference to it.
    private static let maximumContent = 4 << 20

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Throws: ``DocumentLimits/LimitError``.
    func check() throws(DocumentLimits.LimitError) {
        guard let trailer = Trailer(bytes) else { throw .form }
        var remaining = (objects: Self.maximumObjects, content: Self.maximumContent)
        try follow(trailer.topObject, in: trailer, depth: 1, &remaining)
    }

    /// The last 32 bytes, which locate the objects.
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
                return BinaryPropertyListScanner.number(trailer[start..<start + 8])
            }
            guard let objectCount = number(at: 8), let topObject = number(at: 16), let table = number(at: 24),
                1...8 ~= offsetSize, 1...8 ~= referenceSize, 1...bytes.count ~= objectCount, topObject < objectCount,
                // The objects are between the first eight bytes and the table.
                9...bytes.count - 32 ~= table, objectCount * offsetSize <= bytes.count - 32 - table
            else { return nil }
            (self.objectCount, self.topObject, offsetTable) = (objectCount, topObject, table)
        }
    }

    private func follow(
        _ object: Int, in trailer: Trailer, depth: Int, _ remaining: inout (objects: Int, content: Int)
    ) throws(DocumentLimits.LimitError) {
        guard depth <= DocumentLimits.maximumDepth else { throw .depth }
        remaining.objects -= 1
        guard remaining.objects >= 0 else { throw .repetition }
        let entry = trailer.offsetTable + object * trailer.offsetSize
        guard let offset = Self.number(bytes[entry..<entry + trailer.offsetSize]), 8..<trailer.offsetTable ~= offset
        else {
            throw .form
        }
        let marker = bytes[offset]
        switch marker >> 4 {
        case 0x0, 0x1, 0x2, 0x3, 0x8: return
        case 0x4, 0x5, 0x6, 0x7:
            let content = try content(
                of: marker, at: offset, unit: marker >> 4 == 0x6 ? 2 : 1, before: trailer.offsetTable)
            remaining.content -= content.count
            guard remaining.content >= 0 else { throw .repetition }
        case 0xA, 0xB, 0xC, 0xD:
            let unit = trailer.referenceSize * (marker >> 4 == 0xD ? 2 : 1)
            let references = try content(of: marker, at: offset, unit: unit, before: trailer.offsetTable)
            for start in stride(from: references.lowerBound, to: references.upperBound, by: trailer.referenceSize) {
                guard let next = Self.number(bytes[start..<start + trailer.referenceSize]), next < trailer.objectCount
                else { throw .form }
                try follow(next, in: trailer, depth: depth + 1, &remaining)
            }
        default: throw .form
        }
    }

    /// The range of the content of an object, which consists of units of equal size.
    private func content(
        of marker: UInt8, at offset: Int, unit: Int, before end: Int
    ) throws(DocumentLimits.LimitError) -> Range<Int> {
        var (start, count) = (offset + 1, Int(marker & 0x0F))
        if count == 0x0F {
            guard start < end, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else { throw .form }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard start + 1 + size <= end, let number = Self.number(bytes[start + 1..<start + 1 + size]) else {
                throw .form
            }
            (start, count) = (start + 1 + size, number)
        }
        guard count <= (end - start) / unit else { throw .form }
        return start..<start + count * unit
    }

    /// A big-endian number; `nil` when it is larger than a document can be.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number <= UInt64(DocumentLimits.maximumSize) ? Int(number) : nil
    }
}
