/// A text with templates in it, `{{ name(argument) }}`, as labels and errors have them.
///
/// The text is not trusted, so it is read in one pass: no byte is looked at more than a few times.
struct TemplateText {
    /// No label has more templates, and each costs a search among all translations.
    static let maximumTemplates = 256
    /// No label is longer, in bytes, with its templates or once they are filled in: a short one can stand for a long
    /// text, and one label for many fields.
    static let maximumSize = 1 << 14

    private let bytes: [UInt8]
    /// The first bracket that closes at or behind the last argument's start, and where its template ends.
    private var closing: (bracket: Int, end: Int?)?

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The text with its templates filled in.
    /// - Parameters:
    ///   - names: what a template may be called; others are no templates.
    ///   - value: what stands for a template, by its name and its argument without the space around it.
    /// - Returns: `nil` when there is nothing for a template, or when the text has too many, or becomes too long.
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

    /// The name behind `{{`, and where the argument behind its bracket starts.
    private func head(of opening: Int, _ names: [String]) -> (name: String, argument: Int)? {
        let start = skippingSpace(from: opening + 2)
        for name in names where bytes[start...].starts(with: name.utf8) {
            let bracket = start + name.utf8.count
            if bracket < bytes.count, bytes[bracket] == UInt8(ascii: "(") { return (name, bracket + 1) }
        }
        return nil
    }

    /// The first closing bracket from `start` on. Many openings may share one, so what is behind it is looked at once.
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
    /// The text without what stands between `<` and `>`, read in one pass.
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
