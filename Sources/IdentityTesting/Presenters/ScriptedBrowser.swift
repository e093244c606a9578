import Foundation
import IdentityKit

/// A browser that goes where a closure says.
///
/// What the closure returns is the response, right or wrong: the browser passes on what
/// `WebAuthenticationRequest.isResponse(_:)` would not recognize, so that a test sees what a provider makes of it.
public struct ScriptedBrowser: WebAuthenticator {
    private let port: Int?
    private let visit: @Sendable (URL) async throws -> URL

    /// - Parameters:
    ///   - port: a port to come back to where a loopback redirect URI names none, as a listener with a free port does;
    ///     `nil` to come back where the provider's settings say.
    ///   - visit: gets the page to open and returns where the browser is in the end.
    public init(port: Int? = nil, _ visit: @escaping @Sendable (URL) async throws -> URL) {
        self.port = port
        self.visit = visit
    }

    /// Visits `url`.
    /// - Throws: what the closure throws.
    public func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        try await visit(url)
    }

    /// `registered`, with the port where a loopback address has none (RFC 8252 section 7.3).
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
