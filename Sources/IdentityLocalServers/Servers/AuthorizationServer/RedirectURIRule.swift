import Foundation

/// The rule that the dashboard and the client registration apply to redirect URIs.
enum RedirectURIRule {
    /// The text with which a form refuses a redirect URI.
    static let advice = "Use https, a scheme of the app's own, or http on this machine, without a fragment."

    /// Whether `address` has no fragment, and is `https`, `http` on this machine, or of an app's own scheme (RFC 6749
    /// section 3.1.2, RFC 8252 section 7). Every other scheme except `javascript`, `data` and `file` counts as an app's
    /// own.
    static func allows(_ address: String) -> Bool {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(), url.fragment == nil,
            !["javascript", "data", "file"].contains(scheme)
        else { return false }
        return scheme != "http" || ["127.0.0.1", "::1", "localhost"].contains(url.host ?? "")
    }
}
