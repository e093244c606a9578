import Foundation

/// Sends one request and returns its response, whatever the status.
///
/// All requests of the framework go through a transport, so that an app or a test can replace it. An implementation
/// never follows redirects but returns them, never retries, and keeps no cookies and no cache: a retried token request
/// can end a session, and a followed redirect forwards the token to another host.
///
/// Set ``IdentityEnvironment/transport`` to your own where `URLSession` is not enough, for example on Linux for a
/// server whose authority the system does not trust. It must check certificates, because the server receives tokens.
public protocol HTTPTransport: Sendable {
    /// Sends `request`.
    /// - Returns: the body and the head of the response, also for 3xx, 4xx and 5xx.
    /// - Throws: ``TransportError`` when there was no usable response, `CancellationError` when the task was cancelled.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse)

    /// Sends `request`, whose response may be larger than others: it carries a person's profile, which may hold
    /// pictures.
    ///
    /// The default implementation has the limit of ``data(for:)``.
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the largest body, in bytes, where that is more than the limit of ``data(for:)``.
    /// - Throws: what ``data(for:)`` throws.
    func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse)

    /// Sends `request`, and returns the response while its body arrives.
    ///
    /// The default implementation reads the whole body first, with the limits of ``data(for:)``.
    /// - Throws: what ``data(for:)`` throws, here or when the body is read.
    func stream(for request: URLRequest) async throws -> HTTPStream
}

extension HTTPTransport {
    /// Calls ``data(for:)``, with its limit.
    /// - Throws: what ``data(for:)`` throws.
    public func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request)
    }

    /// Calls ``data(for:)``, and returns the whole body as one part.
    /// - Throws: what ``data(for:)`` throws.
    public func stream(for request: URLRequest) async throws -> HTTPStream {
        let (body, head) = try await data(for: request)
        return HTTPStream(head: head, body: body)
    }
}

extension URLRequest {
    /// Requests a connection of its own, because the request spends something, such as a refresh token, a code or an
    /// assertion (RFC 9112 section 9.6).
    ///
    /// A connection that was kept may have been closed meanwhile. A request on it would be lost without anybody knowing
    /// whether the server has read it.
    package mutating func needsOwnConnection() { setValue("close", forHTTPHeaderField: "Connection") }

    var hasOwnConnection: Bool { value(forHTTPHeaderField: "Connection")?.lowercased() == "close" }
}

/// Limits of the bodies from which tokens or keys are read, in bytes.
package enum ResponseSize {
    /// A response that carries a person's profile.
    package static let withProfile = 16 << 20
    package static let usual = 1 << 20
}

package protocol TrustingTransport: HTTPTransport {
    /// A transport that also trusts servers with certificates from `certificates`.
    func trusting(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) -> Self
}
