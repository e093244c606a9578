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
        guard let document = BinaryPropertyList(bytes) else { throw .form }
        var remaining = (objects: Self.maximumObjects, content: Self.maximumContent)
        try follow(document.top, in: document, depth: 1, &remaining)
    }

    private func follow(
        _ number: Int, in document: BinaryPropertyList, depth: Int, _ remaining: inout (objects: Int, content: Int)
    ) throws(DocumentLimits.LimitError) {
        guard depth <= DocumentLimits.maximumDepth else { throw .depth }
        remaining.objects -= 1
        guard remaining.objects >= 0 else { throw .repetition }
        guard let object = document.object(number) else { throw .form }
        switch object {
        case .bool, .number, .date, .uid, .other: return
        case .data(let content), .ascii(let content), .utf16(let content):
            remaining.content -= content.count
            guard remaining.content >= 0 else { throw .repetition }
        case .list(let numbers):
            for number in numbers { try follow(number, in: document, depth: depth + 1, &remaining) }
        case .dictionary(let names, let values):
            for number in names + values { try follow(number, in: document, depth: depth + 1, &remaining) }
        }
    }
}
