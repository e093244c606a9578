import Foundation

/// Sends one request and returns its response, whatever the status.
///
/// All requests of the framework go through a transport, so that an app or a test can replace it. An implementation
/// returns redirects and never follows them, because a followed redirect forwards the token to another host. An
/// implementation never retries, because a retried token request can end a session. It keeps no cookies and no cache.
///
/// If the transport of ``DefaultTransport`` does not meet your needs, set ``IdentityEnvironment/transport`` to a transport
/// of your own. Your transport must check certificates, because the server receives tokens.
public protocol HTTPTransport: Sendable {
    /// Sends `request`.
    /// - Returns: the body and the head of the response, also for 3xx, 4xx and 5xx.
    /// - Throws: ``TransportError`` when there was no usable response, `CancellationError` when the task was cancelled.
    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse)

    /// Sends `request`. The response may be larger than others, because it carries a person's profile, perhaps with
    /// pictures.
    ///
    /// The default implementation has the limit of ``data(for:)``.
    /// - Parameters:
    ///   - request: the request to send.
    ///   - limit: the largest accepted body, in bytes. If the transport's limit for ``data(for:)`` is larger, the larger
    ///     limit applies.
    /// - Throws: the errors of ``data(for:)``.
    func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse)

    /// Sends `request`, and returns when the head of the response has arrived. The body is read while it arrives.
    ///
    /// The default implementation reads the whole body first, with the limits of ``data(for:)``.
    /// - Throws: the errors of ``data(for:)``, here or when the body is read.
    func stream(for request: URLRequest) async throws -> HTTPStream
}

extension HTTPTransport {
    /// Calls ``data(for:)``, and so ignores `limit`.
    /// - Throws: the errors of ``data(for:)``.
    public func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request)
    }

    /// Calls ``data(for:)``, and returns the whole body as one part.
    /// - Throws: the errors of ``data(for:)``.
    public func stream(for request: URLRequest) async throws -> HTTPStream {
        let (body, head) = try await data(for: request)
        return HTTPStream(head: head, body: body)
    }
}

extension URLRequest {
    /// Sets `Connection: close`, which asks the transport for a new connection that serves only this request (RFC 9112
    /// section 9.6). Requests need this if they contain a value that works only once, such as a refresh token, an
    /// authorization code or an assertion.
    ///
    /// The server may be closing a connection that was kept open after an earlier request. If a request on such a
    /// connection fails, nothing shows whether the server has read the request.
    package mutating func needsOwnConnection() { setValue("close", forHTTPHeaderField: "Connection") }

    var hasOwnConnection: Bool { value(forHTTPHeaderField: "Connection")?.lowercased() == "close" }
}

/// Limits of the bodies from which tokens or keys are read, in bytes.
package enum ResponseSize {
    /// Limit for a response with a person's profile, which may hold pictures.
    package static let withProfile = 16 << 20
    package static let usual = 1 << 20
}

package protocol TrustingTransport: HTTPTransport {
    /// Returns a transport that also trusts a server whose certificate is one of `certificates` or was issued by one of
    /// them.
    /// - Throws: ``TrustedCertificatesError`` when this system cannot do so, or cannot read a certificate.
    func trusting(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) -> Self
}

extension HTTPTransport {
    /// Returns a transport that also trusts `certificates`. Returns this transport if `certificates` is `nil`, or if it
    /// cannot trust them, which is an error when the provider is made.
    func adding(_ certificates: TrustedCertificates?) -> any HTTPTransport {
        guard let certificates, let transport = self as? any TrustingTransport,
            let trusting = try? transport.trusting(certificates)
        else { return self }
        return trusting
    }
}
