import Foundation

/// Facts about one attempt to send a request, from the metrics of a `URLSession` task on Apple's systems.
protocol SendingFacts {
    /// When sending the request began; `nil` when it did not begin.
    var requestStartDate: Date? { get }
    /// More than zero when a part of the request may have reached the server.
    var countOfRequestHeaderBytesSent: Int64 { get }
}

/// Evidence of whether a byte of a request may have left this machine.
enum SendingEvidence: Sendable, Equatable {
    case sent, neverSent
    /// The system collected no metrics.
    case unknown

    /// Determines from the attempts of a task whether the request was sent.
    /// - Parameter attempts: all attempts of the task; none when the system collected no metrics.
    init(_ attempts: [any SendingFacts]) {
        let sent = attempts.contains { $0.requestStartDate != nil || $0.countOfRequestHeaderBytesSent > 0 }
        self = attempts.isEmpty ? .unknown : sent ? .sent : .neverSent
    }

    /// Returns `error`, or a more exact error if the evidence shows whether the request was sent.
    func applied(to error: TransportError, host: String) -> TransportError {
        switch (self, error) {
        case (.neverSent, .timedOut): .notSentInTime(host: host)
        case (.neverSent, .connectionLost): .notSent(host: host, detail: "the connection broke before")
        case (.neverSent, .other(_, let detail)): .notSent(host: host, detail: detail)
        // With TLS 1.3 a server may refuse the client after the request was sent (RFC 8446 section 4.4.2).
        case (.sent, .insecureConnection): .connectionLost(host: host)
        default: error
        }
    }
}

#if !canImport(FoundationNetworking)
extension URLSessionTaskTransactionMetrics: SendingFacts {}
#endif
