import Foundation
import IdentityKit

/// A browser that goes where a closure says.
public struct ScriptedBrowser: WebAuthenticator {
    private let visit: @Sendable (URL) async throws -> URL

    /// - Parameter visit: gets the page to open and returns where the browser is in the end.
    public init(_ visit: @escaping @Sendable (URL) async throws -> URL) {
        self.visit = visit
    }

    /// Visits `url`.
    /// - Throws: what the closure throws.
    public func authenticate(at url: URL, redirectURI: URL) async throws -> URL {
        try await visit(url)
    }
}
