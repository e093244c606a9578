#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// The transport on Linux. libcurl, on which Foundation's client for HTTP is built too, runs on a thread of its own.
///
/// Unlike Foundation's client on Linux, this transport never sends a request twice, knows whether a request was sent,
/// and does not crash on malformed responses. It speaks HTTP/1.1 and HTTP/2, keeps connections open, and takes the
/// proxy from the environment, as other programs with libcurl do. A request to this machine is refused when a variable
/// would send it to a proxy (``TransportError/proxiedLoopback(host:variable:)``).
///
/// A request with the field `Connection: close` has a connection of its own. Requests with a value that works only
/// once, such as a refresh token, set this field. The reason is that the server may be closing a connection that was kept open
/// after an earlier request. If a request on such a connection fails, nothing shows whether the server has read the request.
package final class CurlTransport: HTTPTransport, TrustingTransport, PunctualTransport {
    private enum Route: Sendable {
        /// Uses the proxy that the environment's variables name, if any, and HTTP/2 if TLS negotiates it.
        case usual
        case http2WithoutTLS
        case proxy(URL)
        /// Connects to a server on a local socket, whatever the host of the request.
        case socket(path: String)
        /// Connects to these addresses, in this order, whatever the host of the request.
        case addresses([String])
    }

    /// Name of the missing library, function or option; `nil` when this transport can be used.
    static let missing: String? = identity_curl_find().map { String(cString: $0) }

    /// Versions of libcurl and its TLS library in this process, such as `libcurl/7.88.1 OpenSSL/3.0.19`; `nil` when
    /// this transport cannot be used.
    static let version: String? =
        missing == nil
        ? String(cString: identity_curl_version_text()).split(separator: " ").prefix(2).joined(separator: " ") : nil

    private let deadline: Duration
    private let maximumResponseSize: Int
    private let time: TimeSource
    private let trust: CurlTrust
    private let route: Route
    private let refusesPrivate: Bool
    /// The engine; `nil` before the first request, because a program that only reads stored tokens needs no thread.
    private let started = Locked<CurlEngine?>(nil)

    /// Creates a transport with connections of its own.
    /// - Parameters:
    ///   - deadline: the longest time one request may take, from start to the last byte; for a stream, to the end of
    ///     the head.
    ///   - maximumResponseSize: the largest accepted body, in bytes. For a response with a person's profile, a smaller limit
    ///     is raised to 16 MiB. The body of a stream has no limit.
    ///   - time: the clock that measures the deadline.
    /// - Returns: `nil` when this system has no libcurl of version 7.80 or later.
    package convenience init?(
        deadline: Duration = .seconds(30), maximumResponseSize: Int = 1 << 20, time: TimeSource = .system
    ) {
        guard Self.missing == nil else { return nil }
        self.init(deadline, maximumResponseSize, time, .system, .usual, refusesPrivate: false)
    }

    private init(
        _ deadline: Duration, _ maximumResponseSize: Int, _ time: TimeSource, _ trust: CurlTrust, _ route: Route,
        refusesPrivate: Bool
    ) {
        (self.deadline, self.maximumResponseSize, self.time) = (deadline, maximumResponseSize, time)
        (self.trust, self.route, self.refusesPrivate) = (trust, route, refusesPrivate)
    }

    private func with(trust: CurlTrust? = nil, route: Route? = nil, refusesPrivate: Bool? = nil) -> CurlTransport {
        CurlTransport(
            deadline, maximumResponseSize, time, trust ?? self.trust, route ?? self.route,
            refusesPrivate: refusesPrivate ?? self.refusesPrivate)
    }

    /// A transport with the same limits that also trusts a server whose certificate is one of `certificates` or was
    /// issued by one of them.
    package func trusting(_ certificates: TrustedCertificates) -> CurlTransport {
        with(trust: CurlTrust(adding: certificates))
    }

    /// A transport with the same limits that uses HTTP/2 from the start, without TLS to negotiate it (RFC 9113 section
    /// 3.3).
    package func speakingHTTP2WithoutTLS() -> CurlTransport {
        with(route: .http2WithoutTLS)
    }

    /// A transport with the same limits that sends through a proxy, whatever the environment says.
    package func through(proxy: URL) -> CurlTransport {
        with(route: .proxy(proxy))
    }

    /// A transport with the same limits that sends to a server on a local socket, whatever the host of a request.
    package func through(socket path: String) -> CurlTransport {
        with(route: .socket(path: path))
    }

    /// A transport with the same limits that connects to these addresses, whatever the host of a request.
    package func through(addresses: [String]) -> CurlTransport {
        with(route: .addresses(addresses))
    }

    /// Transport for hosts that are not configured, such as those that a server named; see
    /// ``withoutPrivateAddresses``. Its connections are separate, because a connection whose address was not checked
    /// must not be reused.
    private let guarded = Locked<CurlTransport?>(nil)

    /// A transport with the same limits that refuses to connect to private addresses.
    var withoutPrivateAddresses: CurlTransport {
        guarded.withLock { guarded in
            let transport = guarded ?? with(refusesPrivate: true)
            guarded = transport
            return transport
        }
    }

    /// Whether this transport certainly connects to the host of `url` itself. `false` for a transport that was made for a
    /// proxy or a local socket. Also `false` when a variable names a proxy, even if `no_proxy` excepts the host.
    func connectsItself(to url: URL) -> Bool {
        switch route {
        case .usual, .http2WithoutTLS, .addresses: !ProxyVariables.ofThisProcess.mayDivert(url)
        case .proxy, .socket: false
        }
    }

    /// Whether a request for `url` may go through a proxy, once ``ProxyVariables/diverting(_:)`` has refused to send one
    /// for this machine there.
    private func mayUseProxy(for url: URL) -> Bool {
        switch route {
        case .usual, .http2WithoutTLS, .addresses: !connectsItself(to: url) && !ProxyVariables.isForThisMachine(url)
        case .proxy: true
        case .socket: false
        }
    }

    /// Sends `request`; see ``HTTPTransport/data(for:)``.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: maximumResponseSize)
    }

    /// Sends `request`; see ``HTTPTransport/data(for:upTo:)``.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: limit, before: [])
    }

    /// Sends `request`; see ``PunctualTransport/data(for:upTo:before:)``.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func data(
        for request: URLRequest, upTo limit: Int, before deadline: Deadline
    ) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: limit, before: [deadline])
    }

    private func data(
        for request: URLRequest, upTo limit: Int, before deadlines: [Deadline]
    ) async throws -> (Data, HTTPURLResponse) {
        let (transfer, engine) = try start(request, limit: max(limit, maximumResponseSize), before: deadlines)
        return try await inTime(transfer, of: engine) { try await transfer.whole() }
    }

    /// Sends `request`; see ``HTTPTransport/stream(for:)``. The deadline applies to the head of the response only.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func stream(for request: URLRequest) async throws -> HTTPStream {
        let (transfer, engine) = try start(request, limit: nil, before: [])
        let head = try await inTime(transfer, of: engine) { try await transfer.head() }
        let reading = Reading(transfer: transfer, engine: engine)
        return HTTPStream(head: head) { try await reading.next() }
    }

    /// Starts a transfer. The first transfer also starts the engine.
    /// - Parameter limit: the largest accepted body, in bytes; `nil` for a body that is read while it arrives.
    /// - Throws: ``TransportError/notSent(host:detail:)`` or ``TransportError/proxiedLoopback(host:variable:)``.
    private func start(
        _ request: URLRequest, limit: Int?, before deadlines: [Deadline]
    ) throws -> (CurlTransfer, CurlEngine) {
        let host = request.url?.authority ?? "the server"
        let prepared = try CurlRequest(request, host: host)
        if let variable = ProxyVariables.ofThisProcess.diverting(prepared.url) {
            throw TransportError.proxiedLoopback(host: host, variable: variable)
        }
        let transfer = CurlTransfer(
            prepared, host: host, limit: limit, before: deadlines + [Deadline(deadline, on: time)],
            mayUseProxy: mayUseProxy(for: prepared.url))
        guard let engine = engine() else { throw TransportError.notSent(host: host, detail: "no memory is left") }
        engine.start(transfer)
        return (transfer, engine)
    }

    private func engine() -> CurlEngine? {
        started.withLock { started in
            if started == nil { started = CurlEngine(refusesPrivate: refusesPrivate, prepare: prepare) }
            return started
        }
    }

    private var prepare: CurlEngine.Preparation {
        { [trust, route] request, url in
            var list: UnsafeMutableRawPointer?
            CurlOption.usesNoSignals.set(1, of: request)
            // Allow only HTTP and HTTPS.
            CurlOption.protocols.set(1 | 2, of: request)
            switch route {
            // Use HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
            case .usual: CurlOption.version.set(4, of: request)
            case .http2WithoutTLS: CurlOption.version.set(5, of: request)
            case .socket(let path): CurlOption.socket.set(path, of: request)
            case .addresses(let addresses):
                let port = url.port ?? (url.scheme == "http" ? 80 : 443)
                let entry = "\(url.host ?? ""):\(port):\(addresses.joined(separator: ","))"
                list = CurlOption.addresses.set([entry], of: request)
            case .proxy(let address): CurlOption.proxy.set(address.absoluteString, of: request)
            }
            // Let the system probe an idle connection each minute. Otherwise a middlebox may forget the connection, and
            // nobody would notice while waiting for a response. An unanswered probe is repeated every 10 seconds until the
            // limit of `TCP_USER_TIMEOUT`, so that one lost packet ends no connection.
            CurlOption.keepsAlive.set(1, of: request)
            CurlOption.probeInterval.set(10, of: request)
            CurlOption.takesOldestVersion.set(0, of: request)
            // An empty text requests all encodings that this libcurl can decode.
            CurlOption.encodings.set("", of: request)
            CurlOption.hidesProxyResponse.set(1, of: request)
            // Do not wait for the resolver's thread when a request ends, so that a slow lookup delays no other request.
            CurlOption.leavesResolver.set(1, of: request)
            trust.prepare(request)
            return list
        }
    }

    private func inTime<Value: Sendable>(
        _ transfer: CurlTransfer, of engine: CurlEngine, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        @Sendable func give(up error: any Error) {
            // The connection may be dead. Close it before the caller learns of the error, so that the caller's next
            // request does not use it.
            engine.drop(transfer, closesConnection: true)
            transfer.end(.failure(error))
        }
        let alarms = transfer.deadlines.map { deadline in
            let limit = deadline.remaining
            return Task {
                guard (try? await deadline.pass()) != nil else { return }
                give(up: transfer.error(after: limit))
            }
        }
        defer { for alarm in alarms { alarm.cancel() } }
        return try await withTaskCancellationHandler(operation: work) { give(up: CancellationError()) }
    }
}

/// Reads a body while it arrives. Releasing the reader ends the request.
private final class Reading: Sendable {
    private let transfer: CurlTransfer
    private let engine: CurlEngine

    init(transfer: CurlTransfer, engine: CurlEngine) {
        (self.transfer, self.engine) = (transfer, engine)
    }

    deinit { engine.drop(transfer) }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await transfer.part { engine.goOn(transfer) }
        } onCancel: {
            engine.drop(transfer, closesConnection: true)
            transfer.end(.failure(CancellationError()))
        }
    }
}
#endif
