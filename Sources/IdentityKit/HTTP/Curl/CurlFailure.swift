#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// Translates libcurl's results into ``TransportError``.
enum CurlFailure {
    /// The error for a request that has ended with `code`.
    /// - Parameters:
    ///   - words: what libcurl says about it.
    ///   - wasSent: whether a byte of the request may have left.
    static func error(
        code: Int32, words: String, of request: UnsafeMutableRawPointer, host: String, wasSent: Bool
    ) -> TransportError {
        wasSent ? sent(code, words, host) : notSent(code, words, request, host)
    }

    private static func sent(_ code: Int32, _ words: String, _ host: String) -> TransportError {
        switch code {
        // Not HTTP, a body that cannot be decoded, or refused by a callback.
        case 1, 8, 23, 61: .other(host: host, detail: words)
        case 100: .responseTooLarge(host: host, limit: ResponseLines.limit)
        default: .connectionLost(host: host)
        }
    }

    private static func notSent(
        _ code: Int32, _ words: String, _ request: UnsafeMutableRawPointer, _ host: String
    ) -> TransportError {
        let status = identity_curl_request_number(request, 22)
        if status != 0, !(200..<300).contains(status) {
            return .notSent(host: host, detail: "the proxy refused the connection with status \(status)")
        }
        switch code {
        case 5: return .notSent(host: host, detail: "the proxy's name has no address")
        case 6: return .hostUnreachable(host: host)
        case 7:
            let error = Int32(truncatingIfNeeded: identity_curl_request_number(request, 25))
            return error == ECONNREFUSED ? .connectionRefused(host: host) : .hostUnreachable(host: host)
        case 35: return .insecureConnection(host: host, detail: words)
        case 51, 60: return .untrustedCertificate(host: host, CertificateDefect(words: words) ?? .refused)
        case 77: return .insecureConnection(host: host, detail: CurlTrust.unreadable ?? words)
        // An alert that ends the handshake comes as a failure to receive.
        default:
            return words.contains("SSL")
                ? .insecureConnection(host: host, detail: words) : .notSent(host: host, detail: words)
        }
    }
}
#endif
