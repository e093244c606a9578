#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import IdentityKit
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// What the errors of AsyncHTTPClient and of its parts mean for a request.
enum TransportFailure {
    /// A `TransportError`, or `CancellationError`.
    static func error(_ error: any Error, host: String) -> any Error {
        switch error {
        case is CancellationError, is TransportError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError: client(error, host: host)
        case let error as NIOConnectionError: connection(error, host: host)
        case let error as NIOSSLError: tls(error, host: host)
        case is NIOSSLExtraError: TransportError.untrustedCertificate(host: host, .otherHost)
        case let error as IOError: system(error.errnoCode, host: host) ?? other(error, host: host)
        case is ChannelError: channel(error, host: host)
        case is HTTPParserError: TransportError.connectionLost(host: host)
        default: other(error, host: host)
        }
    }

    private static func client(_ error: HTTPClientError, host: String) -> TransportError {
        switch error {
        case .connectTimeout: .hostUnreachable(host: host)
        case .getConnectionFromPoolTimeout: .notSentInTime(host: host)
        case .remoteConnectionClosed, .uncleanShutdown, .bodyLengthMismatch: .connectionLost(host: host)
        case .tlsHandshakeTimeout: .insecureConnection(host: host, detail: "the handshake took too long")
        default: .other(host: host, detail: error.shortDescription)
        }
    }

    /// No connection was made to any of the host's addresses.
    private static func connection(_ error: NIOConnectionError, host: String) -> TransportError {
        let refusals = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        return refusals.contains(ECONNREFUSED) ? .connectionRefused(host: host) : .hostUnreachable(host: host)
    }

    private static func channel(_ error: any Error, host: String) -> TransportError {
        if case .connectTimeout? = error as? ChannelError { return .hostUnreachable(host: host) }
        return .connectionLost(host: host)
    }

    private static func system(_ code: CInt, host: String) -> TransportError? {
        switch code {
        case ECONNREFUSED: .connectionRefused(host: host)
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN: .hostUnreachable(host: host)
        case ECONNRESET, EPIPE, ECONNABORTED, ETIMEDOUT: .connectionLost(host: host)
        default: nil
        }
    }

    private static func tls(_ error: NIOSSLError, host: String) -> TransportError {
        switch error {
        case .handshakeFailed(let reason):
            let words = String(describing: reason)
            guard words.contains("CERTIFICATE_VERIFY_FAILED") else {
                return .insecureConnection(host: host, detail: "the handshake failed")
            }
            // It does not say what is wrong with the certificate.
            return .untrustedCertificate(host: host, .refused)
        case .uncleanShutdown: return .connectionLost(host: host)
        default: return .insecureConnection(host: host, detail: String(describing: error))
        }
    }

    private static func other(_ error: any Error, host: String) -> TransportError {
        .other(host: host, detail: "\(type(of: error))")
    }
}
#endif
