import Foundation
import IdentityKit

/// The browser of an OAuth sign-in at a ``LocalInsForgeServer``: it follows redirects over real HTTP and stops where a
/// system browser would hand over to the app.
public struct ScriptedOAuthBrowser: Sendable {
    /// Why an address did not lead to the app.
    public enum Failure: IdentityFailure, Equatable {
        /// The address to open is not one of the server's.
        case foreignAddress
        /// A page was shown instead of a redirect; this is what a person would be left with.
        case page(path: String, status: Int)
        /// The redirects did not end.
        case tooManyRedirects

        /// A stable code.
        public var failureCode: String {
            switch self {
            case .foreignAddress: "oauth_browser_foreign_address"
            case .page: "oauth_browser_page"
            case .tooManyRedirects: "oauth_browser_too_many_redirects"
            }
        }

        /// Always ``/IdentityCore/FailureClass/definitive``.
        public var failureClass: FailureClass { .definitive }

        /// What happened.
        public var message: String {
            switch self {
            case .foreignAddress:
                "The authorization address is not on the local server. Open one that the server issued."
            case .page(let path, let status): "The browser was left on \(path), which responded with \(status)."
            case .tooManyRedirects: "The local server redirected more than 10 times. Check the redirect address."
            }
        }
    }

    private let origin: URL
    private let transport: any HTTPTransport

    /// A browser for one server.
    public init(server: LocalInsForgeServer) {
        origin = server.url
        transport = DefaultTransport.make()
    }

    /// Opens an authorization address and follows where it leads.
    /// - Returns: the first address that is not on the server: the app's callback.
    /// - Throws: ``Failure``, ``/IdentityKit/TransportError``, or `CancellationError`.
    public func follow(_ authorizationURL: URL) async throws -> URL {
        guard isOnServer(authorizationURL) else { throw Failure.foreignAddress }
        var address = authorizationURL
        for _ in 0..<10 {
            let (_, response) = try await transport.data(for: URLRequest(url: address))
            guard let location = response.value(forHTTPHeaderField: "Location"),
                let next = URL(string: location, relativeTo: address)?.absoluteURL
            else { throw Failure.page(path: address.path, status: response.statusCode) }
            guard isOnServer(next) else { return next }
            address = next
        }
        throw Failure.tooManyRedirects
    }

    private func isOnServer(_ url: URL) -> Bool {
        url.scheme == origin.scheme && url.host == origin.host && url.port == origin.port
    }
}
