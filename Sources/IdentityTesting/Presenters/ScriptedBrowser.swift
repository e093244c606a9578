import Foundation
import IdentityKit

/// A browser that shows no page, and returns the result of a closure as the callback URL. The URL is returned even if
/// `WebAuthenticationRequest.isResponse(_:)` does not accept it.
public struct ScriptedBrowser: WebAuthenticator {
    private let port: Int?
    private let visit: @Sendable (URL) async throws -> URL

    /// Makes a browser that calls `visit` in place of opening a page.
    /// - Parameters:
    ///   - port: the port to add to a loopback redirect URI without a port; `nil` to add none.
    ///   - visit: receives the URL of the page, and returns the callback URL.
    public init(port: Int? = nil, _ visit: @escaping @Sendable (URL) async throws -> URL) {
        self.port = port
        self.visit = visit
    }

    /// Returns what the closure returns for the URL of `request`.
    /// - Throws: what the closure throws.
    public func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        try await visit(request.url)
    }

    /// Returns `registered`. Adds the browser's port, if any, to an `http` address on loopback without a port (RFC 8252
    /// section 7.3).
    /// - Throws: nothing.
    public func redirectURI(for registered: URL) async throws -> URL {
        guard let port, registered.scheme == "http", registered.port == nil,
            registered.host.map(ServerURL.isLoopback) == true,
            var components = URLComponents(url: registered, resolvingAgainstBaseURL: true)
        else { return registered }
        components.port = port
        return components.url ?? registered
    }
}
