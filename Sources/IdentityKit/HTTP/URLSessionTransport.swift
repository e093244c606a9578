import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport: one long-lived, ephemeral `URLSession` driven through a session delegate.
///
/// The delegate form is not taste. On Linux, `data(for:)` can deadlock when a cancellation meets the completion and
/// hangs for ever on `401` with `WWW-Authenticate: Basic`; and only a session delegate can refuse redirects.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let loader: Loader
    private let deadline: Duration
    private let time: TimeSource

    /// Opens the session.
    /// - Parameters:
    ///   - deadline: the longest time one request may take, from start to the last byte.
    ///   - maximumAnswerSize: the largest body that is kept, in bytes.
    ///   - time: the clock that measures the deadline.
    public init(
        deadline: Duration = .seconds(30), maximumAnswerSize: Int = 1 << 20, time: TimeSource = .system
    ) {
        self.deadline = deadline
        self.time = time
        loader = Loader(maximumAnswerSize: maximumAnswerSize)
        session = URLSession(configuration: Self.configuration(), delegate: loader, delegateQueue: Self.serialQueue())
    }

    deinit {
        // A session keeps its delegate alive until it is told to stop.
        session.finishTasksAndInvalidate()
    }

    /// Sends `request`; see ``HTTPTransport/data(for:)``.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let host = request.url?.host ?? "the server"
        return try await withThrowingTaskGroup(of: Answer.self) { [time, deadline] group in
            group.addTask { try await self.load(request, host: host) }
            group.addTask {
                try await time.sleep(for: deadline)
                throw TransportError.timedOut(host: host, after: deadline)
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return (answer.body, answer.head)
        }
    }

    private func load(_ request: URLRequest, host: String) async throws -> Answer {
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loader.register(task, host: host, continuation)
                task.resume()
                if Task.isCancelled { cancel(task) }
            }
        } onCancel: {
            cancel(task)
        }
    }

    /// Cancels on the delegate's queue and only while the task is still registered, so that a cancellation can never
    /// meet the completion: Foundation on Linux deadlocks or traps when it does.
    private func cancel(_ task: URLSessionDataTask) {
        session.delegateQueue.addOperation { [loader] in
            if loader.isWaiting(for: task) { task.cancel() }
        }
    }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The system's own user agent names the executable; this one names the library alone.
        configuration.httpAdditionalHeaders = ["User-Agent": "swift-identity"]
        return configuration
    }

    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

/// One complete answer.
private struct Answer: Sendable {
    let body: Data
    let head: HTTPURLResponse
}

/// Collects answers and resumes each waiting caller exactly once.
private final class Loader: NSObject, URLSessionDataDelegate, Sendable {
    private struct Entry: Sendable {
        let host: String
        let continuation: CheckedContinuation<Answer, any Error>
        var head: HTTPURLResponse?
        var body = Data()
    }

    private let maximumAnswerSize: Int
    private let entries = Locked<[Int: Entry]>([:])

    init(maximumAnswerSize: Int) {
        self.maximumAnswerSize = maximumAnswerSize
    }

    func register(_ task: URLSessionTask, host: String, _ continuation: CheckedContinuation<Answer, any Error>) {
        entries.withLock { $0[task.taskIdentifier] = Entry(host: host, continuation: continuation) }
    }

    func isWaiting(for task: URLSessionTask) -> Bool {
        entries.withLock { $0[task.taskIdentifier] != nil }
    }

    private func finish(_ task: URLSessionTask, _ result: (Entry) -> Result<Answer, any Error>) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        entry.continuation.resume(with: result(entry))
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        entries.withLock { $0[dataTask.taskIdentifier]?.head = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let overflows = entries.withLock { entries in
            guard var entry = entries.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            entry.body.append(data)
            let overflows = entry.body.count > maximumAnswerSize
            if overflows { entry.body = Data() }
            entries[dataTask.taskIdentifier] = entry
            return overflows
        }
        guard overflows else { return }
        // The caller is released at once; the transfer itself stops when the session gets to the cancellation.
        finish(dataTask) { .failure(TransportError.answerTooLarge(host: $0.host, limit: maximumAnswerSize)) }
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // A challenge that came with an answer is an answer for the caller: default handling of `401 Basic` never
        // completes on Linux. The others, server trust above all, are the system's business.
        guard let head = challenge.failureResponse as? HTTPURLResponse else {
            return completionHandler(.performDefaultHandling, nil)
        }
        finish(task) { .success(Answer(body: $0.body, head: head)) }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task) { entry in
            if let error { return .failure(Self.failure(from: error, host: entry.host)) }
            guard let head = entry.head ?? task.response as? HTTPURLResponse else {
                return .failure(TransportError.other(host: entry.host, detail: "the answer was not HTTP"))
            }
            return .success(Answer(body: entry.body, head: head))
        }
    }

    private static func failure(from error: any Error, host: String) -> any Error {
        guard let error = error as? URLError else {
            return TransportError.other(host: host, detail: error.localizedDescription)
        }
        switch error.code {
        case .cancelled: return CancellationError()
        case .cannotConnectToHost: return TransportError.connectionRefused(host: host)
        case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
            return TransportError.hostUnreachable(host: host)
        case .timedOut: return TransportError.timedOut(host: host, after: .seconds(60))
        case .networkConnectionLost, .badServerResponse: return TransportError.connectionLost(host: host)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            return TransportError.insecureConnection(host: host, detail: error.localizedDescription)
        default: return TransportError.other(host: host, detail: error.localizedDescription)
        }
    }
}
