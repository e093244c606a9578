/// A text with templates of the form `{{ name(argument) }}`, as in labels and errors.
///
/// The text is not trusted, so it is parsed in a single pass, in linear time.
struct TemplateText {
    /// The greatest number of templates in a text, because each costs a lookup.
    static let maximumTemplates = 256
    /// The greatest size of a text in bytes, and the greatest number of bytes that its templates may add, because a short
    /// template can stand for a long text. Callers check the size of the text before they call ``filled(_:with:)``.
    static let maximumSize = 1 << 14

    private let bytes: [UInt8]
    /// The result of the last search for a closing bracket: the position of the `)`, and the position after the `}}` that
    /// follows it. `end` is `nil` if no `}}` follows, so that the bracket closes no template.
    private var closing: (bracket: Int, end: Int?)?

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the text with its templates replaced.
    /// - Parameters:
    ///   - names: the names of the templates to replace; any other template stays as plain text.
    ///   - value: returns the replacement for a template's name and trimmed argument.
    /// - Returns: `nil` if a template has no replacement, or the text has too many templates or becomes too long.
    mutating func filled(_ names: [String], with value: (_ name: String, _ argument: String) -> String?) -> String? {
        var (filled, copied, start, count) = ([UInt8](), 0, 0, 0)
        while let opening = nextOpening(from: start) {
            start = opening + 1
            guard let (name, argument) = head(of: opening, names) else { continue }
            guard let closing = closing(from: argument) else { break }
            guard let end = closing.end else { continue }
            count += 1
            guard count <= Self.maximumTemplates, let text = value(name, self.argument(argument..<closing.bracket))
            else { return nil }
            filled += bytes[copied..<opening]
            filled += text.utf8
            guard filled.count <= bytes.count + Self.maximumSize else { return nil }
            (copied, start) = (end, end)
        }
        filled += bytes[copied...]
        return String(decoding: filled, as: UTF8.self)
    }

    private func nextOpening(from start: Int) -> Int? {
        var position = start
        while position + 1 < bytes.count {
            if bytes[position] == UInt8(ascii: "{"), bytes[position + 1] == UInt8(ascii: "{") { return position }
            position += 1
        }
        return nil
    }

    /// Returns the template's name after `{{`, and the start of its argument; `nil` if no known name and bracket
    /// follow.
    private func head(of opening: Int, _ names: [String]) -> (name: String, argument: Int)? {
        let start = skippingSpace(from: opening + 2)
        for name in names where bytes[start...].starts(with: name.utf8) {
            let bracket = start + name.utf8.count
            if bracket < bytes.count, bytes[bracket] == UInt8(ascii: "(") { return (name, bracket + 1) }
        }
        return nil
    }

    /// Returns the first closing bracket from `start` on; `nil` without one. The result is cached, because several
    /// openings can have the same closing bracket.
    private mutating func closing(from start: Int) -> (bracket: Int, end: Int?)? {
        if let closing, closing.bracket >= start { return closing }
        guard let bracket = bytes[start...].firstIndex(of: UInt8(ascii: ")")) else { return nil }
        let end = skippingSpace(from: bracket + 1)
        let isTemplate = bytes[end...].starts(with: "}}".utf8)
        closing = (bracket, isTemplate ? end + 2 : nil)
        return closing
    }

    private func argument(_ range: Range<Int>) -> String {
        let start = min(skippingSpace(from: range.lowerBound), range.upperBound)
        var end = range.upperBound
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private func skippingSpace(from start: Int) -> Int {
        var position = start
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        return position
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
}

extension String {
    /// The text without its tags: each `<` is removed with everything up to the next `>`, in linear time.
    var withoutMarkup: String {
        let bytes = Array(utf8)
        var (plain, position) = ([UInt8](), 0)
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        {
            plain += bytes[position..<start]
            position = end + 1
        }
        return String(decoding: plain + bytes[position...], as: UTF8.self)
    }
}
