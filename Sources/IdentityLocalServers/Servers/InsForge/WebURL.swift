import Foundation

/// An address that is parsed, printed and extended as in browsers and JavaScript servers (WHATWG URL standard). InsForge
/// compares and rewrites redirect targets by these rules.
///
/// Rare cases differ from the standard. For example, a non-ASCII host name of `http` or another special scheme is refused
/// instead of converted, and unusual spellings of IPv4 addresses stay as they are.
struct WebURL: Sendable, Equatable {
    private let scheme: String
    /// User information, host and port; `nil` in an address such as `mailto:someone@example.org`, without `//`.
    private let authority: String?
    private let path: String
    private var query: String?
    private let fragment: String?

    /// The default ports of the special schemes of the WHATWG URL standard, except `file`. An address with one of these
    /// schemes must have a host.
    private static let specialSchemes = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]

    /// Parses an absolute address; `nil` for anything else.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: CharacterSet(charactersIn: "\u{0}"..."\u{20}"))
            .components(separatedBy: CharacterSet(charactersIn: "\t\n\r")).joined()
        guard let colon = text.firstIndex(of: ":") else { return nil }
        scheme = text[..<colon].lowercased()
        guard scheme.wholeMatch(of: #/[a-z][a-z0-9+.\-]*/#) != nil else { return nil }
        let isSpecial = Self.specialSchemes[scheme] != nil

        let (beforeFragment, fragment) = Self.split(text[text.index(after: colon)...], at: "#")
        let (beforeQuery, query) = Self.split(beforeFragment, at: "?")
        self.fragment = fragment.map { $0.percentEncoded(besides: .fragment) }
        self.query = query.map { $0.percentEncoded(besides: isSpecial ? .specialQuery : .query) }

        let hierarchy = isSpecial ? beforeQuery.replacingOccurrences(of: "\\", with: "/") : String(beforeQuery)
        guard isSpecial || hierarchy.hasPrefix("//") else {
            authority = nil
            path = hierarchy.hasPrefix("/") ? Self.normalized(path: hierarchy) : hierarchy.percentEncoded(besides: [])
            return
        }
        let afterSlashes = isSpecial ? hierarchy.drop { $0 == "/" } : hierarchy.dropFirst(2)
        let end = afterSlashes.firstIndex(of: "/") ?? afterSlashes.endIndex
        guard let authority = Self.normalized(authority: afterSlashes[..<end], scheme: scheme) else { return nil }
        self.authority = authority
        let path = Self.normalized(path: String(afterSlashes[end...]))
        self.path = path.isEmpty && isSpecial ? "/" : path
    }

    var href: String {
        scheme + ":" + (authority.map { "//" + $0 } ?? "") + path
            + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
    }

    /// Sets a query parameter, and removes further parameters of the same name. The method encodes the whole query as a form,
    /// so that even `%20` becomes `+`.
    mutating func setQueryParameter(_ name: String, _ value: String) {
        var parameters = LocalRequest.decodeForm(query ?? "").map { (name: $0.name, value: $0.value) }
        if let first = parameters.firstIndex(where: { $0.name == name }) {
            parameters[first].value = value
            parameters = parameters.enumerated().filter { $0.offset == first || $0.element.name != name }
                .map(\.element)
        } else {
            parameters.append((name, value))
        }
        query = Self.query(parameters)
    }

    /// Returns a copy of the address with the query parameters set, in order.
    func with(_ parameters: KeyValuePairs<String, String>) -> WebURL {
        var copy = self
        for (name, value) in parameters { copy.setQueryParameter(name, value) }
        return copy
    }

    static func query(_ parameters: [(name: String, value: String)]) -> String {
        LocalRequest.encodeForm(parameters, unreserved: "*-._")
    }

    private static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    /// Returns the authority in its printed form, without the scheme's default port; `nil` if the host or port is invalid.
    private static func normalized(authority: Substring, scheme: String) -> String? {
        let defaultPort = specialSchemes[scheme]
        let at = authority.lastIndex(of: "@")
        let userInformation = at.map { authority[...$0] } ?? ""
        let hostAndPort = at.map { authority[authority.index(after: $0)...] } ?? authority

        let endOfHost = hostAndPort.hasPrefix("[") ? hostAndPort.firstIndex(of: "]") : hostAndPort.startIndex
        guard let endOfHost else { return nil }
        let colon = hostAndPort[endOfHost...].firstIndex(of: ":")
        guard
            let host = normalized(host: hostAndPort[..<(colon ?? hostAndPort.endIndex)], isSpecial: defaultPort != nil)
        else { return nil }

        let port = colon.map { hostAndPort[hostAndPort.index(after: $0)...] } ?? ""
        if port.isEmpty { return userInformation + host }
        guard let number = UInt16(port), port.utf8.first != UInt8(ascii: "+") else { return nil }
        return userInformation + host + (String(number) == defaultPort ? "" : ":\(number)")
    }

    private static func normalized(host: Substring, isSpecial: Bool) -> String? {
        if host.hasPrefix("["), host.hasSuffix("]") {
            let isAddress = host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            return isAddress ? host.lowercased() : nil
        }
        let forbidden = Set("\u{0}\t\n\r #/:<>?@[\\]^|".utf8)
        guard !host.utf8.contains(where: forbidden.contains) else { return nil }
        guard isSpecial else { return host.percentEncoded(besides: []) }
        let isName = !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
        return isName ? host.lowercased() : nil
    }

    /// Resolves `.` and `..`, and encodes the characters that a path must not contain.
    private static func normalized(path: String) -> String {
        guard path.hasPrefix("/") else { return path }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var segments: [String] = []
        for (index, part) in parts.enumerated() {
            switch part.lowercased().replacingOccurrences(of: "%2e", with: ".") {
            case ".": if index == parts.count - 1 { segments.append("") }
            case "..":
                _ = segments.popLast()
                if index == parts.count - 1 { segments.append("") }
            default: segments.append(part.percentEncoded(besides: .path))
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

extension Set<UInt8> {
    fileprivate static let fragment = Set(" \"<>`".utf8)
    fileprivate static let query = Set(" \"#<>".utf8)
    fileprivate static let specialQuery = query.union("'".utf8)
    fileprivate static let path = query.union("?^`{}".utf8)
}

extension StringProtocol {
    /// Percent-encodes control characters, non-ASCII characters, and the given bytes.
    fileprivate func percentEncoded(besides encoded: Set<UInt8>) -> String {
        utf8.map { byte in
            byte < 0x20 || byte > 0x7E || encoded.contains(byte) ? byte.percentEncoded : byte.asciiText
        }.joined()
    }
}

extension UInt8 {
    fileprivate var asciiText: String { String(UnicodeScalar(self)) }
    fileprivate var percentEncoded: String { "%" + LocalIdentifiers.hex([self]).uppercased() }
}
