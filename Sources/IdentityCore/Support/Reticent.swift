import Foundation

/// A value with secrets, of which `print`, `dump`, string interpolation and debuggers show only ``shown``.
package protocol Reticent: CustomReflectable {
    /// The names and values that are shown. A dictionary whose keys come from a server or a setting may hold secrets as
    /// values, so show only its keys.
    var shown: KeyValuePairs<String, Any> { get }
}

extension Reticent {
    /// Leaves out everything that may be secret.
    public var customMirror: Mirror {
        Mirror(self, children: shown, displayStyle: .struct, ancestorRepresentation: .suppressed)
    }
}

/// A value that is secret as a whole. It prints as `<redacted>`, and `dump` and debuggers show no part of it.
package protocol Redacted: CustomStringConvertible, Reticent {}

extension Redacted {
    public var description: String { "<redacted>" }
    package var shown: KeyValuePairs<String, Any> { [:] }
}

extension Dictionary where Key == String {
    /// The sorted keys without the values, which may be secret.
    package var namesAlone: [String] { keys.sorted() }
}

extension String {
    /// The URL in this text, without user name, password, query and fragment, because these may be secret.
    ///
    /// Cuts the text by bytes: a delimiter followed by a combining character is one character in Swift, but a delimiter
    /// to a server.
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
    /// The URL as a text without user name, password, query and fragment, because these may be secret.
    package var addressAlone: String { absoluteString.addressAlone }
}
