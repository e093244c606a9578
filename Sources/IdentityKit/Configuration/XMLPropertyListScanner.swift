/// Checks the elements of an XML property list and their nesting in one pass.
///
/// Documents that two parsers could read differently are refused: with another encoding than UTF-8, declarations in the
/// document type, or attributes other than those of the outermost element.
struct XMLPropertyListScanner {
    private let bytes: [UInt8]
    private var position = 0
    /// Where the bracket is that was read last.
    private var bracket = 0

    /// The elements of property lists.
    private static let elements: Set = [
        "plist", "dict", "array", "key", "string", "integer", "real", "true", "false", "date", "data",
    ]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Throws: ``DocumentLimits/LimitError``.
    mutating func check() throws(DocumentLimits.LimitError) {
        guard !bytes.contains(0) else { throw .form }
        var open: [ArraySlice<UInt8>] = []
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            (bracket, position) = (start, start + 1)
            if take("?") {
                try checkEncoding(in: through("?>"))
            } else if take("!--") {
                _ = try through("-->")
            } else if take("![CDATA[") {
                _ = try through("]]>")
            } else if take("!DOCTYPE") {
                let type = try through(">")
                guard !type.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "<") }) else {
                    throw mistake("<!DOCTYPE")
                }
            } else {
                try follow(try through(">"), &open)
            }
        }
        guard open.isEmpty else {
            throw DocumentLimits.LimitError(detail: SyntaxMistake.detail(at: bytes.count, in: bytes))
        }
    }

    /// One tag, without its brackets.
    private func follow(_ tag: ArraySlice<UInt8>, _ open: inout [ArraySlice<UInt8>]) throws(DocumentLimits.LimitError) {
        let isEnd = tag.first == UInt8(ascii: "/")
        let isEmpty = !isEnd && tag.last == UInt8(ascii: "/")
        let content = tag.dropFirst(isEnd ? 1 : 0).dropLast(isEmpty ? 1 : 0)
        let name = content.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        let rest = content[name.endIndex...]
        let isOutermost = name.elementsEqual("plist".utf8) && !isEnd && open.isEmpty
        guard Self.elements.contains(String(decoding: name, as: UTF8.self)),
            rest.allSatisfy({ Self.isSpace($0) || (isOutermost && Self.isOfVersion($0)) })
        else { throw mistake(in: tag) }
        if isEnd {
            guard let last = open.popLast(), last == name else { throw mistake(in: tag) }
        } else if !isEmpty {
            open.append(name)
            // The outermost element is no level of its own.
            guard open.count <= DocumentLimits.maximumDepth + 1 else { throw .depth }
        }
    }

    private func checkEncoding(in instruction: ArraySlice<UInt8>) throws(DocumentLimits.LimitError) {
        let text = String(decoding: instruction, as: UTF8.self).lowercased()
        let isUTF8 = text.contains("encoding=\"utf-8\"") || text.contains("encoding='utf-8'")
        guard isUTF8 || !text.contains("encoding") else { throw .form }
    }

    private func mistake(in tag: ArraySlice<UInt8>) -> DocumentLimits.LimitError {
        let text = String(decoding: tag.prefix(40), as: UTF8.self)
        return mistake(text.allSatisfy { $0.isASCII && !$0.isNewline } && tag.count <= 40 ? "<\(text)>" : nil)
    }

    private func mistake(_ found: String?) -> DocumentLimits.LimitError {
        DocumentLimits.LimitError(detail: SyntaxMistake.detail(at: bracket, in: bytes, found: found))
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let isHere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if isHere { position += text.utf8CodeUnitCount }
        return isHere
    }

    /// The bytes before `end`. The position is then after it.
    private mutating func through(_ end: StaticString) throws(DocumentLimits.LimitError) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count {
            let here = position
            if take(end) { return bytes[start..<here] }
            position += 1
        }
        throw mistake(nil)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    /// Whether the byte may be part of `version="1.0"`.
    private static func isOfVersion(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyz0123456789.=\"'".utf8.contains(byte)
    }
}
