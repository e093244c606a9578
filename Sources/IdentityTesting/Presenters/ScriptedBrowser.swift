import Foundation
import IdentityKit

/// A browser that returns the result of a closure as the callback, even if `WebAuthenticationRequest.isResponse(_:)`
/// does not accept it.
public struct ScriptedBrowser: WebAuthenticator {
    private let port: Int?
    private let visit: @Sendable (URL) async throws -> URL

    /// Makes a browser from a closure.
    /// - Parameters:
    ///   - port: the port for a loopback redirect URI without one; `nil` to keep the redirect URI.
    ///   - visit: gets the page to open and returns the callback.
    public init(port: Int? = nil, _ visit: @escaping @Sendable (URL) async throws -> URL) {
        self.port = port
        self.visit = visit
    }

    /// Returns what the closure returns for `url`.
    /// - Throws: what the closure throws.
    public func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        try await visit(url)
    }

    /// `registered`, with the port if it is a loopback address without one (RFC 8252 section 7.3).
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
