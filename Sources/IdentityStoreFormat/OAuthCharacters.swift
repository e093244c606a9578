/// The character sets of OAuth's values (RFC 6749 appendix A). No set contains a line end, so a value cannot add a
/// header.
package enum OAuthCharacters {
    /// `VSCHAR`, for tokens, authorization codes, states and client identifiers.
    case vschar
    /// `NQSCHAR`, for error codes and descriptions.
    case nqschar
    /// `NQCHAR`, for scope tokens.
    case nqchar

    package func makeUp(_ text: some StringProtocol) -> Bool {
        // Iterate contiguous UTF-8, because iterating the UTF-8 view of a generic string type costs three calls for each
        // byte.
        text.utf8.withContiguousStorageIfAvailable(makeUp) ?? makeUp(Array(text.utf8))
    }

    private func makeUp(_ bytes: some Sequence<UInt8>) -> Bool {
        var isEmpty = true
        for byte in bytes {
            guard contains(byte) else { return false }
            isEmpty = false
        }
        return !isEmpty
    }

    private func contains(_ byte: UInt8) -> Bool {
        guard 0x20...0x7E ~= byte else { return false }
        switch self {
        case .vschar: return true
        case .nqschar: return byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        case .nqchar: return byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: " ")
        }
    }
}
