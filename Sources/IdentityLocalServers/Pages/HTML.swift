/// A piece of HTML. Interpolated text is escaped; only other pieces of HTML are inserted as they are.
///
/// ```swift
/// let cell: HTML = "<td>\(user.name)</td>"  // Safe even if the name contains `<`.
/// ```
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    package let text: String

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    private init(markup: String) { text = markup }

    package init(_ value: some CustomStringConvertible) { text = Self.escaped(value.description) }

    package static func joined(_ pieces: [HTML]) -> HTML {
        HTML(markup: pieces.map(\.text).joined(separator: "\n"))
    }

    /// Builds HTML from a literal: values are escaped, other pieces of HTML are inserted as they are.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: String

        package init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ piece: HTML) { text += piece.text }

        package mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }

        package mutating func appendInterpolation(_ pieces: [HTML]) { text += HTML.joined(pieces).text }

        /// Appends the description of a value, escaped.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += HTML.escaped(value.description)
        }
    }

    /// Escapes a text for use between tags and in quoted attributes. A NUL is not allowed in HTML, so it is replaced.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\0": result += "\u{FFFD}"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
