/// The five parts of a URL (RFC 3986 appendix B), with nothing decoded or repaired, for comparing addresses. Foundation's
/// parsers differ between platforms and releases.
package struct URLParts {
    /// The scheme in lower case, because schemes are case-insensitive (RFC 3986 section 3.1).
    package let scheme: String
    package let authority: String?
    package let path: String
    package let query: String?
    package let fragment: String?

    /// Splits `text` at its delimiters; `nil` when it begins with no valid scheme.
    package init?(_ text: String) {
        // Work on bytes: Swift joins a delimiter and a combining character after it into one `Character`, but a server
        // still sees the delimiter.
        var rest = text.utf8[...]
        fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        query = Self.cut(&rest, at: UInt8(ascii: "?"))
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = Self.text(rest[..<colon]).lowercased()
        guard let first = scheme.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first,
            scheme.utf8.allSatisfy(Self.isSchemeCharacter)
        else { return nil }
        self.scheme = scheme
        rest = rest[rest.index(after: colon)...]
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = Self.text(rest[..<end])
            rest = rest[end...]
        } else {
            authority = nil
        }
        path = Self.text(rest)
    }

    /// Removes the first `mark` and the text after it from `rest`, and returns that text; `nil` when there is no mark.
    private static func cut(_ rest: inout Substring.UTF8View, at mark: UInt8) -> String? {
        guard let index = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<index] }
        return text(rest[rest.index(after: index)...])
    }

    private static func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)) }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension URLParts {
    package var hasUserInfo: Bool { authority?.utf8.contains(UInt8(ascii: "@")) ?? false }

    /// The authority in lower case, including a user name. The port 443 of https and the port 80 of http are left out (RFC 3986
    /// section 6.2.3). `nil` without a host.
    package var origin: String? {
        guard let authority, !authority.isEmpty else { return nil }
        let lowered = authority.lowercased()
        let ownPort = scheme == "https" ? ":443" : scheme == "http" ? ":80" : ":"
        return lowered.hasSuffix(ownPort) ? String(lowered.dropLast(ownPort.count)) : lowered
    }

    /// The origin as in the header `Origin` (RFC 6454 section 6.2), except that it can have a user name; `nil` without a host.
    package var serialOrigin: String? { origin.map { scheme + "://" + $0 } }

    /// The path with needless escapes decoded and the remaining escapes in upper case (RFC 3986 section 6.2.2); an
    /// empty path becomes `/`.
    package var normalizedPath: String {
        var normalized: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2, let high = FormText.hexValue(rest[rest.startIndex]),
                let low = FormText.hexValue(rest[rest.startIndex + 1])
            else {
                normalized.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            let decoded = high << 4 | low
            normalized += isUnreserved(decoded) ? [decoded] : FormText.escape(decoded)
        }
        return normalized.isEmpty ? "/" : String(decoding: normalized, as: UTF8.self)
    }
}

/// Whether a character is `unreserved` (RFC 3986 section 2.3), so that it means the same with and without an escape.
package func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
    default: false
    }
}
