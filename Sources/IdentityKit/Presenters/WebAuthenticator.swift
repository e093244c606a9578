import Foundation

/// Opens a sign-in page in a browser and waits until it comes back: `ASWebAuthenticationSession` on Apple's systems, a
/// loopback listener with the system's browser elsewhere, a script in tests.
///
/// ``authenticate(at:redirectURI:)`` is enough where only the page itself can come back, as in a sheet of the system's.
/// Where others can reach the redirect URI too, implement ``authenticate(_:)-(WebAuthenticationRequest)`` and wait for
/// the response that ``WebAuthenticationRequest/isResponse(_:)`` recognizes. One that listens on a port of its own
/// choice names it in ``redirectURI(for:)``. A wrapper hands on all three.
public protocol WebAuthenticator: Sendable {
    /// Opens `url` and waits for the browser to be sent to `redirectURI`.
    /// - Parameters:
    ///   - url: the page to open.
    ///   - redirectURI: where the backend sends the browser in the end, without query or fragment.
    /// - Returns: the whole URL the browser was sent to. It is not trusted: the caller checks every part.
    /// - Throws: `CancellationError` when the person closes the page.
    func authenticate(at url: URL, redirectURI: URL) async throws -> URL

    /// Opens a page and waits for its response. Providers call this one.
    ///
    /// By default the same as ``authenticate(at:redirectURI:)``, which takes whatever comes back.
    /// - Returns: the whole URL the browser was sent to, with the fields of a form in its query where the backend has
    ///   posted one (OAuth 2.0 Form Post Response Mode). It is not trusted: the caller checks every part.
    /// - Throws: `CancellationError` when the person closes the page.
    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL

    /// The redirect URI to send to the backend: `registered` itself by default, or with a port that is free where it is
    /// a loopback address without one (RFC 8252 section 7.3). The caller then uses it for everything that names the
    /// redirect URI, and opens the page with it or gives up.
    /// - Parameter registered: the redirect URI as the backend knows it.
    /// - Throws: why no page can come back there.
    func redirectURI(for registered: URL) async throws -> URL
}

extension WebAuthenticator {
    /// Takes whatever comes back to ``authenticate(at:redirectURI:)``.
    /// - Throws: what that throws.
    public func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        try await authenticate(at: request.url, redirectURI: request.redirectURI)
    }

    /// `registered` itself.
    /// - Throws: nothing.
    public func redirectURI(for registered: URL) async throws -> URL { registered }
}
