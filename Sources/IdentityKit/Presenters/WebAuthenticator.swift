import Foundation

/// Opens a sign-in page in a browser and waits until it comes back: `ASWebAuthenticationSession` on Apple's systems, a
/// loopback listener with the system's browser elsewhere, a script in tests.
public protocol WebAuthenticator: Sendable {
    /// Opens `url` and waits for the browser to be sent to `redirectURI`.
    /// - Parameters:
    ///   - url: the page to open.
    ///   - redirectURI: where the backend sends the browser in the end, without query or fragment.
    /// - Returns: the whole URL the browser was sent to. It is not trusted: the caller checks every part.
    /// - Throws: `CancellationError` when the person closes the page.
    func authenticate(at url: URL, redirectURI: URL) async throws -> URL
}
