import IdentityKit

/// A challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1), by which a resource states its requirements.
package struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme as it was written, such as `Bearer`; compare it without regard to case.
    package let scheme: String
    /// The parameters by lower-case name, such as `error` and `scope` (RFC 6750 section 3). If a name is repeated, the last
    /// value is kept.
    package let parameters: [String: String]

    /// Returns the challenges in the value of a header. Commas separate the challenges.
    ///
    /// Parameters without a scheme before them are skipped. A syntax error ends the list: only the challenges and
    /// parameters before the error are returned.
    package static func parse(_ header: String) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(rest: header.utf8[...])
        return parser.challenges()
    }

    func isScheme(_ name: String) -> Bool {
        scheme.lowercased() == name.lowercased()
    }
}

private struct ChallengeParser {
    var rest: Substring.UTF8View

    mutating func challenges() -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var scheme: String?
        var parameters: [String: String] = [:]
        func finished() -> [AuthenticationChallenge] {
            scheme.map { [AuthenticationChallenge(scheme: $0, parameters: parameters)] } ?? []
        }
        while true {
            skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            let name = token()
            guard !name.isEmpty else { break }
            // A name before `=` is that of a parameter. Any other name is a scheme, perhaps with a token68 after it.
            let start = rest
            skip(Self.isSpace)
            if rest.first == UInt8(ascii: "=") {
                guard let value = value() else { break }
                if scheme != nil { parameters[name.lowercased()] = value }
            } else {
                rest = start
                challenges += finished()
                (scheme, parameters) = (name, [:])
                skipToken68()
            }
        }
        return challenges + finished()
    }

    /// Reads `=` and a value, which is a token or a quoted string. An apostrophe begins a quoted string only if another
    /// one follows: some servers quote with apostrophes, but a token may contain them as well.
    /// - Returns: `nil` when the value or its closing quotation mark is missing.
    private mutating func value() -> String? {
        rest.removeFirst()
        skip(Self.isSpace)
        let apostrophe = UInt8(ascii: "'")
        if rest.first == apostrophe, let end = rest.dropFirst().firstIndex(of: apostrophe) {
            defer { rest = rest[rest.index(after: end)...] }
            return String(decoding: rest.dropFirst()[..<end], as: UTF8.self)
        }
        guard rest.first == UInt8(ascii: "\"") else {
            let value = token()
            return value.isEmpty ? nil : value
        }
        rest.removeFirst()
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            content.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return nil
    }

    /// Skips the token68 that some schemes have instead of parameters, such as `YII=` in `Negotiate YII=`.
    private mutating func skipToken68() {
        let start = rest
        skip(Self.isSpace)
        let opaque = rest.prefix { HTTPToken.isCharacter($0) || $0 == UInt8(ascii: "/") }
        rest = rest[opaque.endIndex...]
        skip { $0 == UInt8(ascii: "=") }
        skip(Self.isSpace)
        let isWhole = rest.first.map { $0 == UInt8(ascii: ",") } ?? true
        if opaque.isEmpty || !isWhole { rest = start }
    }

    private mutating func token() -> String {
        let token = rest.prefix(while: HTTPToken.isCharacter)
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
