#if canImport(CIdentityCurl)
import Foundation

/// Reads the header section of a response line by line, as libcurl hands it over (RFC 9112 sections 4 and 5).
///
/// Skips interim responses and trailers. A trailer does not count as a header field, because somebody who can only
/// append to a response must not change its meaning (RFC 9110 section 6.5.1).
struct ResponseLines: Sendable {
    private struct Field: Sendable {
        let name: String
        var value: String
    }

    /// Largest size in bytes of all header sections and trailers together, which is far more than servers usually
    /// send.
    static let limit = 256 << 10

    private var size = 0
    private var version = ""
    private var status = 0
    private var fields: [Field] = []
    private var isOver = false

    /// Whether more than ``limit`` bytes have arrived.
    var isTooLong: Bool { size > Self.limit }

    /// Takes a line, including its line end.
    /// - Returns: whether the line ends the header section of the final response, or of a response with status 101.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        size += line.count
        guard !isOver, !isTooLong else { return false }
        let text = Self.text(line)
        if text.hasPrefix("HTTP/") {
            begin(text)
        } else if text.isEmpty {
            isOver = !(100..<200).contains(status) || status == 101
            return isOver
        } else if text.utf8.first.map(Self.isSpace) == true {
            // Obsolete line folding (RFC 9112 section 5.2).
            if !fields.isEmpty { fields[fields.count - 1].value += " " + Self.trimmed(text.utf8[...]) }
        } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = text.utf8[text.utf8.index(after: colon)...]
            fields.append(Field(name: Self.trimmed(text.utf8[..<colon]), value: Self.trimmed(value)))
        }
        return false
    }

    private mutating func begin(_ statusLine: String) {
        let parts = statusLine.split(separator: " ", maxSplits: 2)
        version = String(parts[0])
        status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        fields = []
    }

    /// Whether a byte is optional whitespace (RFC 9110 section 5.6.3).
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(Substring(text))
    }

    /// Returns the text of a line without its end. A line that is not UTF-8 is read as Latin-1, which HTTP once allowed
    /// (RFC 9110 section 5.5).
    private static func text(_ line: UnsafeRawBufferPointer) -> String {
        var bytes = line[...]
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes = bytes.dropLast() }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Creates the response. The values of fields with the same name are joined with commas (RFC 9110 section 5.3), and
    /// fields whose name is no token (section 5.1) are left out.
    /// - Returns: `nil` for a status below 200, such as an unrequested change of protocols (101).
    func response(from url: URL) -> HTTPURLResponse? {
        guard status >= 200 else { return nil }
        var values: [String: [String]] = [:], names: [String: String] = [:]
        for field in fields where HTTPToken.isToken(field.name) {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            values[name, default: []].append(field.value)
        }
        return HTTPURLResponse(
            url: url, statusCode: status, httpVersion: version,
            headerFields: values.mapValues { $0.joined(separator: ", ") })
    }
}
#endif
