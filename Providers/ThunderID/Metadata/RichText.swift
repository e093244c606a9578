import Foundation

/// The label of a `RICH_TEXT` component: a text whose markup is dropped except for links and line breaks.
///
/// Administrators write the text and the server does not validate it. Any text is therefore parsed in linear time.
/// Links may lead to `https` pages, mail addresses and telephone numbers; any other link becomes plain text.
struct RichText {
    private let bytes: [UInt8]
    private var parts: [FlowParagraph.Part] = []
    private var piece: [UInt8] = []
    private var address: URL?

    /// The schemes that links may have.
    private static let schemes: Set = ["https", "mailto", "tel"]
    /// Elements that start a new line.
    private static let blocks: Set = ["p", "/p", "br", "br/", "div", "/div", "li", "/li"]

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the paragraph for a label; `nil` if it has no text.
    static func paragraph(of label: String) -> FlowParagraph? {
        var text = RichText(label)
        text.read()
        let parts = trimmed(text.parts)
        return parts.isEmpty ? nil : FlowParagraph(parts: parts)
    }

    private mutating func read() {
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        {
            piece += bytes[position..<start]
            element(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
            position = end + 1
        }
        piece += bytes[position...]
        finishPiece()
    }

    private mutating func element(_ element: String) {
        let name = element.prefix { !$0.isWhitespace }.lowercased()
        switch name {
        case "a":
            finishPiece()
            address = Self.address(in: element)
        case "/a":
            finishPiece()
            address = nil
        case _ where Self.blocks.contains(name): piece.append(UInt8(ascii: "\n"))
        default: break
        }
    }

    private mutating func finishPiece() {
        let text = Self.unescaped(String(decoding: piece, as: UTF8.self))
        if !text.isEmpty { parts.append(FlowParagraph.Part(text: text, address: address)) }
        piece = []
    }

    /// Returns the quoted address in an opening `a` tag; `nil` without one, or if its scheme is not allowed.
    private static func address(in element: String) -> URL? {
        for quote in ["\"", "'"] {
            guard let start = element.range(of: "href=" + quote, options: .caseInsensitive)?.upperBound,
                let end = element[start...].firstIndex(of: Character(quote))
            else { continue }
            let text = unescaped(String(element[start..<end])).trimmingCharacters(in: .whitespaces)
            return URL(string: text).flatMap { schemes.contains($0.scheme?.lowercased() ?? "") ? $0 : nil }
        }
        return nil
    }

    /// Returns the text, with character entities replaced: `&lt;`, `&gt;`, `&quot;`, `&#39;`, `&nbsp;` and `&amp;`.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        let characters = ["lt;": "<", "gt;": ">", "quot;": "\"", "#39;": "'", "nbsp;": "\u{A0}", "amp;": "&"]
        let pieces = text.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
        return pieces.dropFirst().reduce(into: pieces.first ?? "") { text, piece in
            let name = characters.keys.first(where: piece.hasPrefix)
            text += name.map { (characters[$0] ?? "") + piece.dropFirst($0.count) } ?? "&" + piece
        }
    }

    private static func trimmed(_ parts: [FlowParagraph.Part]) -> [FlowParagraph.Part] {
        var parts = parts
        while let first = parts.first {
            let text = String(first.text.drop(while: \.isWhitespace))
            parts[0] = FlowParagraph.Part(text: text, address: first.address)
            if !text.isEmpty { break }
            parts.removeFirst()
        }
        while let last = parts.last {
            let text = String(last.text.reversed().drop(while: \.isWhitespace).reversed())
            parts[parts.count - 1] = FlowParagraph.Part(text: text, address: last.address)
            if !text.isEmpty { break }
            parts.removeLast()
        }
        return parts
    }
}
