import Foundation

extension HTTPURLResponse {
    /// Whether `Content-Type` is HTML or XHTML, as for a page for people.
    ///
    /// A request with a refresh token or an authorization code may get such a page that exceeds the size limit. Then
    /// the transport does not fail, but returns the head without a body. The status is enough for the caller to decide
    /// whether the token or code was used, because a page contains no tokens.
    package var isPage: Bool {
        let type = value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml")
    }

    /// Whether `body` is a page for people: `Content-Type` is HTML or XHTML, or the first character after white space is `<`.
    package func hasPage(_ body: Data) -> Bool { isPage || body.firstSign == UInt8(ascii: "<") }
}

extension Data {
    /// The first byte that is neither white space nor part of a byte order mark; `nil` when the first 64 bytes contain
    /// no such byte.
    package var firstSign: UInt8? {
        prefix(64).first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    }
}
