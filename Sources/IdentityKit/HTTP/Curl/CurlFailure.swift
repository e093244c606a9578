#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

enum CurlFailure {
    /// Result codes of libcurl, with the numbers of `CURLcode`.
    private enum Code {
        static let unsupportedProtocol: Int32 = 1
        static let proxyNotResolved: Int32 = 5
        static let hostNotResolved: Int32 = 6
        static let notConnected: Int32 = 7
        static let strangeReply: Int32 = 8
        static let refusedByCallback: Int32 = 23
        static let handshakeFailed: Int32 = 35
        static let certificateRefused: [Int32] = [51, 60]
        static let badEncoding: Int32 = 61
        static let authoritiesUnreadable: Int32 = 77
        static let headTooLarge: Int32 = 100
    }

    /// Whether the error means that no address of the host accepted a connection.
    static func isNotConnected(_ code: Int32) -> Bool { code == Code.notConnected }

    /// Facts about a finished request, with the numbers of libcurl's `CURLINFO` without the bits for the type.
    private enum Fact {
        static let statusOfProxy: Int32 = 22
        static let systemError: Int32 = 25
    }

    /// Returns the error for a request that libcurl has ended with `code`.
    /// - Parameters:
    ///   - code: the result code, other than zero.
    ///   - words: libcurl's message about the failure.
    ///   - request: the libcurl handle of the request.
    ///   - transfer: the transfer of the request.
    static func error(
        code: Int32, words: String, of request: UnsafeMutableRawPointer, for transfer: CurlTransfer
    ) -> TransportError {
        transfer.wasSent ? sent(code, words, transfer.host) : notSent(code, words, request, transfer)
    }

    private static func sent(_ code: Int32, _ words: String, _ host: String) -> TransportError {
        switch code {
        case Code.unsupportedProtocol, Code.strangeReply, Code.refusedByCallback, Code.badEncoding:
            .other(host: host, detail: words)
        case Code.headTooLarge: .responseTooLarge(host: host, limit: ResponseLines.limit)
        default: .connectionLost(host: host)
        }
    }

    private static func notSent(
        _ code: Int32, _ words: String, _ request: UnsafeMutableRawPointer, _ transfer: CurlTransfer
    ) -> TransportError {
        let host = transfer.host
        let status = identity_curl_request_number(request, Fact.statusOfProxy)
        if status != 0, !(200..<300).contains(status) {
            return .notSent(host: host, detail: "the proxy refused the connection with status \(status)")
        }
        switch code {
        case Code.proxyNotResolved: return .notSent(host: host, detail: "the proxy's name has no address")
        case Code.hostNotResolved: return .hostUnreachable(host: host)
        // For libcurl the proxy is the peer, so its code does not tell which of the two accepts no connection.
        case Code.notConnected where transfer.mayUseProxy && !isDirect(words, to: transfer.request.url):
            let peers = "to it or to the proxy that a variable such as https_proxy names"
            return .notSent(host: host, detail: "no connection was made, \(peers): \(words)")
        case Code.notConnected:
            let error = Int32(truncatingIfNeeded: identity_curl_request_number(request, Fact.systemError))
            return error == ECONNREFUSED ? .connectionRefused(host: host) : .hostUnreachable(host: host)
        case Code.handshakeFailed: return .insecureConnection(host: host, detail: words)
        case _ where Code.certificateRefused.contains(code):
            return .untrustedCertificate(host: host, CertificateDefect(words: words) ?? .refused)
        case Code.authoritiesUnreadable:
            return .insecureConnection(host: host, detail: CurlTrust.unreadable ?? words)
        // libcurl reports a TLS alert that ends the handshake as a failure to receive, so only the message shows the
        // cause.
        default:
            return words.contains("SSL")
                ? .insecureConnection(host: host, detail: words) : .notSent(host: host, detail: words)
        }
    }

    /// Whether libcurl's message says that it tried to connect to the host of `url` itself, as for a host that `no_proxy`
    /// excepts. For a connection to a proxy, the message has the proxy's name instead of the host's or, in newer versions,
    /// after the port.
    private static func isDirect(_ words: String, to url: URL) -> Bool {
        let host = ProxyVariables.bare(url.host ?? "")
        let port = url.port ?? (url.scheme?.lowercased() == "http" ? 80 : 443)
        // Newer versions write a colon before the port.
        return ["\(host) port \(port)", "\(host):\(port)"].contains {
            words.lowercased().hasPrefix("failed to connect to \($0) after ")
        }
    }
}
#endif
