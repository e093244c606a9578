import Foundation

extension URL {
    /// The address as a person typed it. Only characters that an address cannot contain (RFC 3986 section 3) are
    /// encoded. Foundation would encode a `%2B` once more if there is also a space or a bracket.
    /// - Returns: `nil` when it is not the address of a server.
    init?(typed text: String) {
        guard let parts = text.wholeMatch(of: /([A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\/?#]+)([^#]*)(#.*)?/) else {
            return nil
        }
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?:@!$&'()*+,;=%")
        let rest = String(parts.2).addingPercentEncoding(withAllowedCharacters: allowed)?
            .replacing(/%(?![0-9A-Fa-f]{2})/, with: "%25")
        self.init(string: parts.1 + (rest ?? ""))
        if host?.isEmpty != false { return nil }
    }
}
