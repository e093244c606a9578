#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import IdentityKit
import NIOCore
import NIOHTTP1
import NIOSSL

/// The transport for servers: AsyncHTTPClient, with a pool of connections for each host.
///
/// On Linux it does what `URLSession` cannot do there: it trusts further authorities, and takes its proxy from the program
/// and not from the environment. It keeps the promises of `HTTPTransport`: it follows no redirect, repeats no request, and
/// keeps no cookies. A request to this machine never goes through the proxy.
///
/// Set it in the environment: `IdentityEnvironment/transport`.
public final class AsyncHTTPClientTransport: TrustingTransport {
    /// How the transport connects, and its limits.
    public struct Options: Sendable {
        /// The longest time one request may take, from start to the last byte.
        public var deadline = Duration.seconds(30)
        /// The largest body that is kept, in bytes.
        public var maximumResponseSize = 1 << 20
        /// The largest number of connections to one host. Further requests wait, within their deadline.
        public var maximumConnectionsPerHost = 8
        /// How long a connection is kept that nobody uses.
        public var idleTime = Duration.seconds(60)
        /// The proxy; `nil` for none. Variables of the environment are not read.
        public var proxy: Proxy?
        /// Authorities to trust in addition to the system's.
        public var trustedCertificates: TrustedCertificates?

        /// The defaults.
        public init() {}
    }

    /// An HTTP proxy. What is sent over HTTPS goes through it unread (RFC 9110 section 9.3.6).
    public struct Proxy: Sendable {
        /// The host of the proxy.
        public var host: String
        /// Its port.
        public var port: Int
        /// The name for the proxy, where it asks for one.
        public var user: String?
        /// The password for the proxy.
        public var password: Secret?

        /// A proxy.
        public init(host: String, port: Int, user: String? = nil, password: Secret? = nil) {
            self.host = host
            self.port = port
            self.user = user
            self.password = password
        }
    }

    private let direct: HTTPClient
    private let proxied: HTTPClient?
    private let options: Options
    private let time: TimeSource

    /// A transport with connections of its own.
    /// - Parameters:
    ///   - options: how it connects, and its limits.
    ///   - time: the clock that measures the deadline.
    /// - Throws: `TrustedCertificatesError.notACertificate` when a certificate cannot be read.
    public init(options: Options = Options(), time: TimeSource = .system) throws(TrustedCertificatesError) {
        let configuration = try options.configuration
        self.options = options
        self.time = time
        direct = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        proxied = options.proxy.map { proxy in
            var configuration = configuration
            configuration.proxy = .init(proxy)
            return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }
    }

    /// A transport with connections of its own, the same options, and more certificates to trust.
    /// - Throws: `TrustedCertificatesError.notACertificate` when one cannot be read.
    package func trusting(
        _ certificates: TrustedCertificates
    ) throws(TrustedCertificatesError) -> AsyncHTTPClientTransport {
        var options = options
        let known = options.trustedCertificates
        options.trustedCertificates = TrustedCertificates([known, certificates].compactMap(\.self))
        return try AsyncHTTPClientTransport(options: options, time: time)
    }

    deinit {
        // Requests hold the transport, so none is waiting.
        for client in [direct, proxied].compactMap(\.self) { client.shutdown(queue: .global()) { _ in } }
    }

    /// Sends `request`. Its body must be in memory.
    /// - Throws: `TransportError`, or `CancellationError`.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let host = request.url?.authority ?? "the server"
        let late = TransportError.timedOut(host: host, after: options.deadline)
        let response = try await Deadline.run(options.deadline, on: time, orThrow: late) { [self] in
            do {
                return try await load(request, host: host)
            } catch {
                throw TransportFailure.error(error, host: host)
            }
        }
        return (response.body, response.head)
    }

    private struct Response: Sendable {
        let body: Data
        let head: HTTPURLResponse
    }

    private func load(_ request: URLRequest, host: String) async throws -> Response {
        guard let url = request.url else { throw TransportError.other(host: host, detail: "the request has no URL") }
        guard request.httpBodyStream == nil else {
            throw TransportError.other(host: host, detail: "its body is a stream, which this transport does not send")
        }
        let client = ProxyVariables.isForThisMachine(url) ? direct : proxied ?? direct
        let response = try await client.execute(HTTPClientRequest(request, to: url), deadline: .distantFuture)
        let limit = options.maximumResponseSize
        var body = Data()
        for try await part in response.body {
            guard body.count + part.readableBytes <= limit else {
                throw TransportError.responseTooLarge(host: host, limit: limit)
            }
            body.append(contentsOf: part.readableBytesView)
        }
        guard
            let head = HTTPURLResponse(
                url: url, statusCode: Int(response.status.code), httpVersion: response.version.description,
                headerFields: response.headers.joined)
        else { throw TransportError.other(host: host, detail: "the response has no usable head") }
        return Response(body: body, head: head)
    }
}

extension AsyncHTTPClientTransport.Options {
    fileprivate var configuration: HTTPClient.Configuration {
        get throws(TrustedCertificatesError) {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            // Also the longest wait for one of the connections: the deadline of the whole request ends both.
            configuration.timeout.connect = TimeAmount(deadline)
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, maximumConnectionsPerHost)
            configuration.connectionPool.idleTimeout = TimeAmount(idleTime)
            // The caller decides what is tried again.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.decompression = .disabled
            guard let trustedCertificates else { return configuration }
            var tls = TLSConfiguration.makeClientConfiguration()
            var certificates: [NIOSSLCertificate] = []
            for certificate in trustedCertificates.certificates {
                guard let certificate = try? NIOSSLCertificate(bytes: Array(certificate), format: .der) else {
                    throw .notACertificate
                }
                certificates.append(certificate)
            }
            tls.additionalTrustRoots = [.certificates(certificates)]
            configuration.tlsConfiguration = tls
            return configuration
        }
    }
}

extension HTTPClient.Configuration.Proxy {
    fileprivate init(_ proxy: AsyncHTTPClientTransport.Proxy) {
        self = .server(
            host: proxy.host, port: proxy.port,
            authorization: proxy.user.map { .basic(username: $0, password: proxy.password?.reveal() ?? "") })
    }
}

extension HTTPClientRequest {
    fileprivate init(_ request: URLRequest, to url: URL) {
        self.init(url: url.absoluteString)
        method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        for (name, value) in request.allHTTPHeaderFields ?? [:] { headers.replaceOrAdd(name: name, value: value) }
        if !headers.contains(name: "User-Agent") { headers.add(name: "User-Agent", value: "swift-identity") }
        if let content = request.httpBody { body = .bytes(ByteBuffer(bytes: content)) }
    }
}

extension HTTPHeaders {
    /// Fields of the same name as one, as Foundation has them (RFC 9110 section 5.3).
    fileprivate var joined: [String: String] {
        var fields: [String: (name: String, value: String)] = [:]
        for (name, value) in self {
            let key = name.lowercased()
            fields[key] = fields[key].map { ($0.name, "\($0.value), \(value)") } ?? (name, value)
        }
        return Dictionary(fields.values.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        self = .milliseconds(
            Int64(clamping: duration.components.seconds) * 1_000
                + duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
#endif
