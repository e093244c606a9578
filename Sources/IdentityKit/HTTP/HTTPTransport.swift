import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends one request and returns its answer, whatever the status.
///
/// Every request of the framework goes through one of these, so that a test, a proxy or a counter can stand in for it.
/// An implementation never follows a redirect (the answer is the redirect), never retries, and keeps no cookie and no
/// cache: a retried token request can end a session, and a followed redirect forwards the token to another host.
///
/// Give one of your own to ``IdentityEnvironment/transport`` where `URLSession` does not serve, for example on Linux for
/// a server whose authority the system does not know. It must check certificates: whoever answers gets the tokens.
public protocol HTTPTransport: Sendable {
    /// Sends `request`.
    /// - Returns: the body and the head of the answer, also for 3xx, 4xx and 5xx.
    /// - Throws: ``TransportError`` when there was no usable answer, `CancellationError` when the task was cancelled.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse)
}

/// A transport that can be made to trust further authorities.
package protocol TrustingTransport: HTTPTransport {
    /// The same transport, which also trusts servers whose certificates come from `certificates`.
    /// - Throws: ``TrustedCertificatesError``.
    func trusting(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) -> Self
}
