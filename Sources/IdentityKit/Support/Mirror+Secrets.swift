import Foundation

extension Mirror {
    /// What `print`, `dump`, string interpolation and a debugger show of a value that holds something secret: `members`
    /// and no other.
    ///
    /// `Mirror` is what all of them ask, so one answer is enough. What a server or a setting names freely may be a secret
    /// under any name, so of that only the names are shown.
    package init<Subject>(_ subject: Subject, showing members: KeyValuePairs<String, Any>) {
        self.init(
            subject, children: members, displayStyle: .struct,
            ancestorRepresentation: .suppressed)
    }
}

extension Dictionary where Key == String {
    /// The names alone, in alphabetical order, for what is printed.
    package var namesAlone: [String] { keys.sorted() }
}

extension String {
    /// An address without what must not be shown of it: user name, password, query and fragment. Anything else stays as it
    /// is.
    ///
    /// Cut byte by byte: a mark followed by a combining character is one character to Swift, and a mark to a server.
    package var addressAlone: String {
        let end = utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? endIndex
        let slash = UInt8(ascii: "/")
        guard let first = utf8[..<end].firstIndex(of: slash), utf8.index(after: first) < end,
            utf8[utf8.index(after: first)] == slash
        else { return String(decoding: utf8[..<end], as: UTF8.self) }
        let start = utf8.index(first, offsetBy: 2)
        let authority = utf8[start..<(utf8[start..<end].firstIndex(of: slash) ?? end)]
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
            return String(decoding: utf8[..<end], as: UTF8.self)
        }
        return String(decoding: utf8[..<start], as: UTF8.self)
            + String(decoding: utf8[utf8.index(after: at)..<end], as: UTF8.self)
    }
}

extension URL {
    /// The address without what must not be shown of it: user name, password, query and fragment.
    package var addressAlone: String { absoluteString.addressAlone }
}
