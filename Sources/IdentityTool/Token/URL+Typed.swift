import Foundation

extension URL {
    /// Creates the URL that a person typed, without its fragment. Percent-encodes in path and query only the characters that a
    /// URL cannot contain there (RFC 3986 section 3). Foundation would encode a `%2B` once more if there is also a space or a
    /// bracket. Returns `nil` for a text without a scheme and a host.
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
