import Foundation

/// Opens a sign-in page in a browser and waits for the redirect. By default, apps on iOS, macOS and visionOS use
/// `ASWebAuthenticationSession`, and programs on Linux use a loopback listener and the system's browser.
///
/// An authenticator decides which redirect is the response. If only the page itself can reach the redirect URI, as in a system
/// sheet, the first redirect to that URI is the response. If other programs can reach the URI too, wait for the response that
/// ``WebAuthenticationRequest/isResponse(_:)`` recognizes.
///
/// A listener that chooses its port returns an address with this port from ``redirectURI(for:)``. An authenticator that wraps
/// another one forwards both methods.
public protocol WebAuthenticator: Sendable {
    /// Opens a page and waits for its response.
    /// - Parameter request: the page, the redirect URI, and how to recognize the response.
    /// - Returns: the URL that the browser was redirected to, with the fields of a posted form in its query (OAuth 2.0
    ///   Form Post Response Mode). Treat it as untrusted.
    /// - Throws: `CancellationError` when the user closes the page, and another error when the page cannot be shown.
    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL

    /// Returns the redirect URI to send to the authorization server. An authenticator that listens on loopback adds a
    /// free port if `registered` has none (RFC 8252 section 7.3). Callers use the result in every request of the
    /// sign-in.
    /// - Parameter registered: the registered redirect URI.
    /// - Throws: an error when the authenticator cannot receive a redirect there.
    func redirectURI(for registered: URL) async throws -> URL
}

extension WebAuthenticator {
    /// Returns `registered` unchanged, for an authenticator that does not choose a port.
    /// - Throws: nothing.
    public func redirectURI(for registered: URL) async throws -> URL { registered }
}
