import Foundation

extension HTTPURLResponse {
    /// Whether the body is a page for people, by its type. To a request that spends something a page above the limit is a
    /// response without a body: nobody reads it, and its head says whether the server can have made it.
    package var isPage: Bool {
        let type = value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml")
    }

    /// Whether the body is a page for people, by its type or its look.
    package func hasPage(_ body: Data) -> Bool { isPage || body.firstSign == UInt8(ascii: "<") }
}

extension Data {
    /// The first byte that is neither a space nor of a byte order mark.
    package var firstSign: UInt8? {
        prefix(64).first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    }
}
