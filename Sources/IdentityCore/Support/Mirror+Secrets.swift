import Foundation

extension Mirror {
    /// A mirror of a value with secrets: `print`, `dump`, string interpolation and debuggers show only `members`.
    ///
    /// Dictionaries with keys that a server or a setting chooses may hold secrets, so show only their keys.
    package init<Subject>(_ subject: Subject, showing members: KeyValuePairs<String, Any>) {
        self.init(subject, children: members, displayStyle: .struct, ancestorRepresentation: .suppressed)
    }
}

extension Dictionary where Key == String {
    /// The keys in alphabetical order, without the values.
    package var namesAlone: [String] { keys.sorted() }
}

extension String {
    /// An address without user name, password, query and fragment, which may be secret.
    ///
    /// Cuts by bytes: a delimiter followed by a combining character is one character in Swift, but a delimiter to a
    /// server.
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
    /// The address without user name, password, query and fragment, which may be secret.
    package var addressAlone: String { absoluteString.addressAlone }
}
