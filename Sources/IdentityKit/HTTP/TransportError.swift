import Foundation

/// Why a request got no usable response. These errors do not end a session.
///
/// The failure class is definitive for `untrustedCertificate`, `proxiedLoopback` and `privateAddress`, and transient
/// for every other case.
///
/// `host` includes the port when the URL of the request has one.
public enum TransportError: StatedFailure, Equatable {
    /// No server listens at the address, so the request was not sent.
    case connectionRefused(host: String)
    /// The host name does not resolve, or none of its addresses can be reached, so the request was not sent.
    case hostUnreachable(host: String)
    /// The deadline passed before the request was sent.
    case notSentInTime(host: String)
    /// No complete response was received in time. The server may have acted on the request.
    case timedOut(host: String, after: Duration)
    /// The connection broke. The server may have acted on the request.
    case connectionLost(host: String)
    /// The server's certificate is not trusted, so the request was not sent.
    case untrustedCertificate(host: String, CertificateDefect)
    /// The host is this machine, and an environment variable would have sent the request to a proxy. The request was
    /// not sent.
    case proxiedLoopback(host: String, variable: String)
    /// The host has a private address and is not that of a configured server, and
    /// ``IdentityEnvironment/refusesPrivateAddresses`` is set. The request was not sent.
    case privateAddress(host: String)
    /// TLS failed before the request was sent, for a reason other than the server's certificate.
    case insecureConnection(host: String, detail: String)
    /// The body or the header section of the response was larger than `limit`, in bytes. The server may have acted on
    /// the request.
    case responseTooLarge(host: String, limit: Int)
    /// The request was not sent for another reason, such as an invalid header field or a refusal by a proxy.
    case notSent(host: String, detail: String)
    /// Any other failure below HTTP. The server may have acted on the request.
    case other(host: String, detail: String)

    package var facts: FailureFacts {
        switch self {
        case .connectionRefused(let host):
            .transient(
                "connection_refused",
                "Nothing answers at \(host). Check that the server is running and that the address is right.")
        case .hostUnreachable(let host):
            .transient("host_unreachable", "\(host) cannot be reached. Check the network connection and the host name.")
        case .notSentInTime(let host):
            .transient(
                "request_not_sent_in_time",
                "There was no time left for a request to \(host), because that server, another one or the network was slow. Try again."
            )
        case .timedOut(let host, let limit):
            .transient("request_timed_out", "\(host) did not respond within \(limit.inWholeSeconds). Try again later.")
        case .connectionLost(let host):
            .transient(
                "connection_lost", "The connection to \(host) broke before the response was complete. Try again.")
        case .untrustedCertificate(let host, let defect):
            .definitive(
                "certificate_untrusted", "The certificate of \(host) is not trusted. \(defect.reason) \(defect.advice)")
        case .proxiedLoopback(let host, let variable):
            .definitive(
                "loopback_through_proxy",
                """
                \(host) is this machine, and \(variable) would send the request to a proxy, so it was not sent. Set \
                no_proxy=\(Self.exceptions(for: host)) for this program.
                """)
        case .privateAddress(let host):
            .definitive(
                "private_address",
                "A server named \(host), which is an address of this machine or its network, so nothing was sent there. If it is "
                    + "meant, set its address in the settings.")
        case .insecureConnection(let host, let detail) where Self.speaksPlainly(detail):
            .transient(
                "insecure_connection",
                "\(host) does not speak TLS. Write http:// before it if it is a server on this machine.")
        case .insecureConnection(let host, let detail):
            .transient("insecure_connection", "No trusted connection to \(host) could be made: \(detail)")
        case .responseTooLarge(let host, let limit):
            .transient(
                "answer_too_large",
                "The response of \(host) is larger than the limit of \(limit) bytes and was refused. Let the server send less."
            )
        case .notSent(let host, let detail):
            .transient("request_not_sent", "No request was sent to \(host): \(detail).")
        case .other(let host, let detail): .transient("transport_failed", "The request to \(host) failed: \(detail)")
        }
    }

    /// Whether a message of OpenSSL or GnuTLS means that the server answered without TLS.
    private static func speaksPlainly(_ detail: String) -> Bool {
        ["wrong version number", "unexpected TLS packet"].contains(where: detail.contains)
    }

    /// The value for `no_proxy` with which requests to this machine, also under the name in `host`, bypass the proxy.
    private static func exceptions(for host: String) -> String {
        let usual = ["localhost", "127.0.0.1", "::1"]
        let name = URL(string: "http://" + host)?.host.map(ProxyVariables.bare) ?? host
        return (usual + (usual.contains(name) || name.hasSuffix(".localhost") ? [] : [name])).joined(separator: ",")
    }

    /// Whether the request certainly did not reach the server, so that it can be repeated.
    public var wasNeverSent: Bool {
        switch self {
        case .connectionRefused, .hostUnreachable, .notSentInTime, .untrustedCertificate, .proxiedLoopback,
            .privateAddress, .insecureConnection, .notSent:
            true
        case .timedOut, .connectionLost, .responseTooLarge, .other: false
        }
    }
}

extension URL {
    /// The host, followed by the port if the URL has one; an empty text without a host.
    package var authority: String {
        // An IPv6 address contains colons (RFC 3986 section 3.2.2).
        let name = host.map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 }
        return [name, port.map(String.init)].compactMap { $0 }.joined(separator: ":")
    }
}
