/// The characters that the values of OAuth consist of (RFC 6749 appendix A): the one place where that rule stands.
///
/// None of them ends a line, so a value of them stays the one word of a header or of a file it is put into.
package enum OAuthCharacters {
    /// `VSCHAR`: what tokens, codes, states and a client's identifier consist of.
    case vschar
    /// `NQSCHAR`: what error codes and their descriptions consist of.
    case nqschar
    /// `NQCHAR`: what a scope token consists of.
    case nqchar

    /// Whether `text` is one or more of these characters.
    package func makeUp(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(contains)
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
