import Foundation

/// The default transport on Apple's systems. On Linux, it is the default when there is no libcurl of version 7.80 or
/// later, or when the environment variable `SWIFT_IDENTITY_TRANSPORT` is `urlsession`.
///
/// The transport uses an ephemeral `URLSession`. On Apple's systems, requests to this machine use a second session.
/// Both sessions have a delegate.
///
/// A delegate is used because on Linux `URLSession.data(for:)` can deadlock when the task is cancelled at the moment it
/// completes, and never returns for `401` with `WWW-Authenticate: Basic`. Also, only a delegate can refuse redirects.
///
/// No proxy gets a request to this machine. On Apple's systems such a request bypasses every proxy. On Linux a proxy
/// cannot be bypassed, so the request is refused if an environment variable would send it to one
/// (``TransportError/proxiedLoopback(host:variable:)``).
package final class URLSessionTransport: HTTPTransport, TrustingTransport, PunctualTransport {
    private enum Route { case systemsOwn, direct }

    /// The sessions by route. The first request on a route opens the session, because a program that only reads stored
    /// tokens needs none.
    private let opened = Locked<[Route: URLSession]>([:])
    private let loader: Loader
    private let deadline: Duration
    private let maximumResponseSize: Int
    private let time: TimeSource

    /// Creates a transport with connections of its own.
    /// - Parameters:
    ///   - deadline: the longest time one request may take, from start to the last byte; for a stream, to the end of the head.
    ///   - maximumResponseSize: the largest accepted body, in bytes. For a response with a person's profile, a smaller limit
    ///     is raised to 16 MiB. The body of a stream has no limit.
    ///   - time: the clock that measures the deadline.
    package convenience init(
        deadline: Duration = .seconds(30), maximumResponseSize: Int = 1 << 20, time: TimeSource = .system
    ) {
        self.init(deadline: deadline, maximumResponseSize: maximumResponseSize, time: time, trust: .system)
    }

    private init(deadline: Duration, maximumResponseSize: Int, time: TimeSource, trust: ServerTrust) {
        self.deadline = deadline
        self.maximumResponseSize = maximumResponseSize
        self.time = time
        loader = Loader(trust: trust)
    }

    /// Returns a transport with the same limits that also trusts a server whose certificate is one of `certificates` or
    /// was issued by one of them.
    /// - Throws: ``TrustedCertificatesError/unsupported`` on Linux, ``TrustedCertificatesError/notACertificate`` when
    ///   there are no certificates or the system cannot read one.
    package func trusting(_ certificates: TrustedCertificates) throws(TrustedCertificatesError) -> URLSessionTransport {
        URLSessionTransport(
            deadline: deadline, maximumResponseSize: maximumResponseSize, time: time,
            trust: try ServerTrust(certificates))
    }

    deinit {
        // A session retains its delegate until it is invalidated.
        for session in opened.withLock({ $0 }).values { session.finishTasksAndInvalidate() }
    }

    /// Sends `request`; see ``HTTPTransport/data(for:)``.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request, upTo: maximumResponseSize)
    }

    /// Sends `request`; see ``HTTPTransport/data(for:upTo:)``.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await load(request, upTo: limit, before: [Deadline(deadline, on: time)])
    }

    /// Sends `request`; see ``PunctualTransport/data(for:upTo:before:)``.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func data(
        for request: URLRequest, upTo limit: Int, before deadline: Deadline
    ) async throws -> (Data, HTTPURLResponse) {
        try await load(request, upTo: limit, before: [deadline, Deadline(self.deadline, on: time)])
    }

    /// Sends `request`; see ``HTTPTransport/stream(for:)``. The deadline applies to the head of the response only.
    /// - Throws: ``TransportError``, or `CancellationError`.
    package func stream(for request: URLRequest) async throws -> HTTPStream {
        let body = ArrivingBody()
        let (response, task, session) = try await load(request, into: body, before: [Deadline(deadline, on: time)])
        let reading = Reading(body: body, task: task, session: session, loader: loader)
        return HTTPStream(head: response.head) { try await reading.next() }
    }

    private func load(
        _ request: URLRequest, upTo limit: Int, before deadlines: [Deadline]
    ) async throws -> (Data, HTTPURLResponse) {
        let (response, _, _) = try await load(request, upTo: max(limit, maximumResponseSize), before: deadlines)
        return (response.body, response.head)
    }

    /// Sends `request`, and waits for the response, or only for its head when `body` receives the rest.
    /// - Parameters:
    ///   - request: the request to send.
    ///   - body: the receiver of a body that is read while it arrives; `nil` to return the whole body.
    ///   - limit: the largest accepted body, in bytes, when `body` is `nil`.
    ///   - deadlines: the deadlines at which the task is cancelled.
    /// - Throws: ``TransportError``, or `CancellationError`.
    private func load(
        _ request: URLRequest, into body: ArrivingBody? = nil, upTo limit: Int = 0, before deadlines: [Deadline]
    ) async throws -> (Response, URLSessionTask, URLSession) {
        let host = request.url?.authority ?? "the server"
        let session = session(for: try Self.route(to: request.url, host: host))
        var request = request
        // Foundation's own timeout keeps running while the process is stopped, and would discard what has arrived.
        // Replace the default of 60 seconds by an hour, and leave any other value as it is.
        if request.timeoutInterval == 60 { request.timeoutInterval = 3600 }
        let task = session.dataTask(with: request)
        let alarms = Locked<[Task<Void, Never>]>([])
        defer { for alarm in alarms.exchange([]) { alarm.cancel() } }
        let response: Response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loader.register(task, host: host, limit: limit, body, continuation)
                task.resume()
                if Task.isCancelled { loader.cancel(task, of: session) }
                alarms.withLock { $0 = deadlines.map { alarm(for: task, of: session, at: $0) } }
            }
        } onCancel: {
            loader.cancel(task, of: session)
        }
        return (response, task, session)
    }

    private func alarm(for task: URLSessionTask, of session: URLSession, at deadline: Deadline) -> Task<Void, Never> {
        let limit = deadline.remaining
        return Task { [loader] in
            guard (try? await deadline.pass()) != nil else { return }
            loader.expire(task, of: session, after: limit)
        }
    }

    /// Returns the route for a request to `url`: direct for this machine on Apple's systems, otherwise with the
    /// system's proxies.
    /// - Throws: ``TransportError/proxiedLoopback(host:variable:)``, only on Linux.
    private static func route(to url: URL?, host: String) throws(TransportError) -> Route {
        guard let url, ProxyVariables.isForThisMachine(url) else { return .systemsOwn }
        #if canImport(FoundationNetworking)
        if let variable = ProxyVariables.ofThisProcess.diverting(url) {
            throw .proxiedLoopback(host: host, variable: variable)
        }
        return .systemsOwn
        #else
        return .direct
        #endif
    }

    private func session(for route: Route) -> URLSession {
        opened.withLock { opened in
            if let session = opened[route] { return session }
            let session = URLSession(
                configuration: Self.configuration(for: route), delegate: loader, delegateQueue: Self.serialQueue())
            opened[route] = session
            return session
        }
    }

    private static func configuration(for route: Route) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // An empty dictionary turns proxies off; without one the system's own proxies are used.
        if route == .direct { configuration.connectionProxyDictionary = [:] }
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Set explicitly, because the system's default names the executable.
        configuration.httpAdditionalHeaders = ["User-Agent": "swift-identity"]
        return configuration
    }

    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

private struct Response: Sendable {
    let body: Data
    let head: HTTPURLResponse
}

/// Reads a body while it arrives. Releasing the reader ends the request.
private final class Reading: Sendable {
    private let (body, task, session, loader): (ArrivingBody, URLSessionTask, URLSession, Loader)

    init(body: ArrivingBody, task: URLSessionTask, session: URLSession, loader: Loader) {
        (self.body, self.task, self.session, self.loader) = (body, task, session, loader)
    }

    deinit { loader.cancel(task, of: session) }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await body.next { loader.goOn(task, of: session) }
        } onCancel: {
            body.end(.failure(CancellationError()))
            loader.cancel(task, of: session)
        }
    }
}

/// Collects responses and resumes each waiting caller exactly once.
private final class Loader: NSObject, URLSessionDataDelegate, Sendable {
    private struct Entry: Sendable {
        let host: String
        let start = ContinuousClock.now
        /// The largest accepted body, in bytes; zero and unused when `arriving` receives the body.
        let limit: Int
        let spendsSomething: Bool
        /// The waiting caller; `nil` once it has its result. The entry itself stays until the task has ended.
        var continuation: CheckedContinuation<Response, any Error>?
        var head: HTTPURLResponse?
        var body = Data()
        /// Receives the body while it arrives; `nil` when the caller waits for the whole body.
        let arriving: ArrivingBody?
        var evidence = SendingEvidence.unknown
        /// The error for the caller when this transport has cancelled the request at a deadline; otherwise `nil`.
        var lateness: TransportError?
    }

    private let trust: ServerTrust
    /// The entries by the task object, because a task's number is unique only within one of the sessions that share
    /// this delegate.
    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    init(trust: ServerTrust) { self.trust = trust }

    func register(
        _ task: URLSessionTask, host: String, limit: Int, _ arriving: ArrivingBody?,
        _ continuation: CheckedContinuation<Response, any Error>
    ) {
        let spendsSomething = task.originalRequest?.hasOwnConnection ?? false
        entries.withLock {
            $0[ObjectIdentifier(task)] = Entry(
                host: host, limit: limit, spendsSomething: spendsSomething, continuation: continuation,
                arriving: arriving)
        }
    }

    /// Cancels a task, on the delegate's queue and only while it has not ended: Foundation on Linux deadlocks or traps
    /// when a task is cancelled at the moment it completes.
    func cancel(_ task: URLSessionTask, of session: URLSession) {
        session.delegateQueue.addOperation { [entries] in
            if entries.withLock({ $0[ObjectIdentifier(task)] != nil }) { task.cancel() }
        }
    }

    /// Resumes receiving a body whose reader was slow. Runs on the delegate's queue, as a cancellation does.
    func goOn(_ task: URLSessionTask, of session: URLSession) {
        session.delegateQueue.addOperation { [entries] in
            if entries.withLock({ $0[ObjectIdentifier(task)] != nil }) { task.resume() }
        }
    }

    /// Cancels a task that got no response within `limit`. The caller's error is chosen when the task ends, because
    /// only then is it known whether the request was sent.
    func expire(_ task: URLSessionTask, of session: URLSession, after limit: Duration) {
        entries.withLock { entries in
            guard let host = entries[ObjectIdentifier(task)]?.host else { return }
            entries[ObjectIdentifier(task)]?.lateness = .timedOut(host: host, after: limit)
        }
        cancel(task, of: session)
    }

    /// Resumes the waiting caller with the result, unless the caller has one already. Does not end the transfer.
    private func release(_ task: URLSessionTask, _ result: (Entry) -> Result<Response, any Error>) {
        let entry = entries.withLock { entries -> Entry? in
            defer { entries[ObjectIdentifier(task)]?.continuation = nil }
            return entries[ObjectIdentifier(task)]
        }
        if let entry { entry.continuation?.resume(with: result(entry)) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Called when a connection that was kept open has closed, and the body would have to be sent again. The request
    /// fails instead, because the server may have acted on it. (On Linux the task would otherwise never end.)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        release(task) { .failure(TransportError.connectionLost(host: $0.host)) }
        cancel(task, of: session)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let head = response as? HTTPURLResponse
        let arriving = entries.withLock { entries in
            entries[ObjectIdentifier(dataTask)]?.head = head
            return entries[ObjectIdentifier(dataTask)]?.arriving
        }
        if let head, arriving != nil { release(dataTask) { _ in .success(Response(body: Data(), head: head)) } }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if let arriving = entries.withLock({ $0[ObjectIdentifier(dataTask)]?.arriving }) {
            let isFull = arriving.append(data)
            #if !canImport(FoundationNetworking)
            // Do not suspend the task on Linux, because Foundation there takes a suspended task off its connection.
            if isFull { dataTask.suspend() }
            #else
            _ = isFull
            #endif
            return
        }
        let isTooLarge = entries.withLock { entries in
            // Drop what arrives after the caller was resumed.
            guard entries[ObjectIdentifier(dataTask)]?.continuation != nil else { return false }
            entries[ObjectIdentifier(dataTask)]?.body.append(data)
            return entries[ObjectIdentifier(dataTask)].map { $0.body.count > $0.limit } ?? false
        }
        guard isTooLarge else { return }
        release(dataTask) { entry in
            if entry.spendsSomething, let head = entry.head, head.isPage {
                return .success(Response(body: Data(), head: head))
            }
            return .failure(TransportError.responseTooLarge(host: entry.host, limit: entry.limit))
        }
        entries.withLock { $0[ObjectIdentifier(dataTask)]?.body = Data() }
        cancel(dataTask, of: session)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // A challenge with a response, such as `401`, is not answered: the caller gets the response. Other challenges
        // are left to the system, unless added authorities make the server's certificate trusted.
        guard let head = challenge.failureResponse as? HTTPURLResponse else {
            let credential = trust.credential(for: challenge)
            return completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
        }
        #if canImport(FoundationNetworking)
        // Return what has arrived as the response: without a credential the task would never complete.
        release(task) { entry in
            entry.arriving?.end(.success(()))
            return .success(Response(body: entry.body, head: head))
        }
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        // Continue without a credential, so that the caller gets the response with its body.
        entries.withLock { $0[ObjectIdentifier(task)]?.head = head }
        completionHandler(.rejectProtectionSpace, nil)
        #endif
    }

    #if !canImport(FoundationNetworking)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        let evidence = SendingEvidence(metrics.transactionMetrics)
        entries.withLock { $0[ObjectIdentifier(task)]?.evidence = evidence }
    }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        release(task) { entry in
            if let error {
                let failure = entry.lateness ?? Self.failure(from: error, of: entry)
                return .failure(
                    (failure as? TransportError).map { entry.evidence.applied(to: $0, host: entry.host) } ?? failure)
            }
            guard let head = entry.head ?? task.response as? HTTPURLResponse else {
                return .failure(TransportError.other(host: entry.host, detail: "the response was not HTTP"))
            }
            return .success(Response(body: entry.body, head: head))
        }
        let entry = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        entry?.arriving?.end(
            error.map { .failure(entry?.lateness ?? Self.failure(from: $0, of: entry)) } ?? .success(()))
    }

    private static func failure(from error: any Error, of entry: Entry?) -> any Error {
        let host = entry?.host ?? "the server"
        guard let error = error as? URLError else {
            return TransportError.other(host: host, detail: error.localizedDescription)
        }
        switch error.code {
        case .cancelled: return CancellationError()
        case .cannotConnectToHost: return TransportError.connectionRefused(host: host)
        case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
            return TransportError.hostUnreachable(host: host)
        case .timedOut: return TransportError.timedOut(host: host, after: entry.map { .now - $0.start } ?? .zero)
        case .networkConnectionLost, .badServerResponse: return TransportError.connectionLost(host: host)
        case .serverCertificateHasUnknownRoot:
            return TransportError.untrustedCertificate(host: host, .unknownAuthority)
        case .serverCertificateHasBadDate: return TransportError.untrustedCertificate(host: host, .expired)
        case .serverCertificateNotYetValid: return TransportError.untrustedCertificate(host: host, .notYetValid)
        case .serverCertificateUntrusted:
            let defect = CertificateDefect(words: error.localizedDescription) ?? .unknownAuthority
            return TransportError.untrustedCertificate(host: host, defect)
        case .secureConnectionFailed:
            let detail = error.localizedDescription
            if let defect = CertificateDefect(words: detail) {
                return TransportError.untrustedCertificate(host: host, defect)
            }
            return TransportError.insecureConnection(host: host, detail: detail)
        default: return URLSessionTransport.unnamedFailure(error.localizedDescription, host: host)
        }
    }
}

extension URLSessionTransport {
    /// Maps an error by its text, because its code does not show the cause. Foundation on Linux reports failures of TLS
    /// and connections that end early by such errors.
    static func unnamedFailure(_ detail: String, host: String) -> TransportError {
        if let defect = CertificateDefect(words: detail) { return .untrustedCertificate(host: host, defect) }
        // Only OpenSSL's text shows that the handshake failed. The texts of other TLS libraries also occur after the
        // request was sent.
        if detail.contains("SSL_connect") || detail.hasPrefix("OpenSSL/") {
            return .insecureConnection(host: host, detail: detail)
        }
        if detail.contains("Connection reset") || detail.contains("transfer closed") {
            return .connectionLost(host: host)
        }
        return .other(host: host, detail: detail)
    }
}
