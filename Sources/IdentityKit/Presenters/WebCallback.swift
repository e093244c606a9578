import Foundation

/// How the system recognizes the redirect of a sign-in page.
package enum WebCallback: Sendable, Equatable {
    /// A redirect to the app's own scheme (RFC 8252 section 7.1).
    case scheme(String)
    /// A redirect to an https address that the app claims (RFC 8252 section 7.2).
    case https(host: String, path: String)

    /// Makes the callback that recognizes redirects to `redirectURI`.
    /// - Throws: ``WebAuthenticationError/unsupportedRedirect(_:)`` for an address with http, such as on loopback, for an
    ///   https address without host, and for an address without scheme.
    package init(redirectURI: URL) throws(WebAuthenticationError) {
        switch redirectURI.scheme?.lowercased() {
        case "https":
            guard let host = redirectURI.host, !host.isEmpty else {
                throw .unsupportedRedirect("an https redirect URI needs a host")
            }
            self = .https(host: host, path: redirectURI.path.isEmpty ? "/" : redirectURI.path)
        case "http":
            throw .unsupportedRedirect("an app is not told of a plain http address. Use a scheme of your own, or https")
        case let scheme?:
            self = .scheme(scheme)
        case nil:
            throw .unsupportedRedirect("the redirect URI has no scheme")
        }
    }
}

/// Why a sign-in page could not be shown, or why it ended without a response. When the user closes the page, a
/// `CancellationError` is thrown instead. The failure class is definitive for an unusable redirect URI, and transient
/// for every other case.
public enum WebAuthenticationError: StatedFailure, Equatable {
    /// The app cannot receive a redirect to the redirect URI, for the reason in the text.
    case unsupportedRedirect(String)
    /// There is no window to show the page over.
    case noWindow
    /// The system refused to open the page, or no browser could be started.
    case notStarted
    /// The page or the system's sheet ended without a usable response, for the reason in the text.
    case failed(String)

    package var facts: FailureFacts {
        switch self {
        case .unsupportedRedirect(let detail):
            .definitive("web_redirect_unsupported", "The sign-in page cannot come back to this app: \(detail).")
        case .noWindow:
            .transient(
                "web_no_window", "There is no window to show the sign-in page over. Sign in while the app is in front.")
        case .notStarted: .transient("web_not_started", "The sign-in page could not be opened. Try again.")
        case .failed(let detail): .transient("web_failed", "The sign-in page was ended: \(detail). Try again.")
        }
    }
}
