/// A failure that a local server produces for one request, as a broken network or server would.
public enum Fault: Sendable {
    /// Send this response without running the handler, so that the server does not act on the request.
    case answer(LocalResponse)
    /// Run the handler, then send this response instead of the handler's response. The server has acted, but the client does
    /// not learn the result.
    case answerAfterActing(LocalResponse)
    /// Run the handler, then close the connection without a response.
    case dropAnswer
    /// Run the handler, then hold the response until the gate opens.
    case holdAnswer(AnswerGate)
    /// Run the handler, send all header fields but only the first half of the body, and close the connection.
    case truncateAnswer
    /// Neither run the handler nor respond. The connection stays open until the client closes it or the server stops.
    case hang
}

/// Faults of all responses of a local server, in effect until they are changed.
public struct StandingFaults: Sendable, Equatable {
    /// The delay before the server runs the handler or a fault takes effect; `nil` for none.
    public var delay: Duration?
    /// The status of every response, unless ``LocalHTTPServer/fail(_:pathPrefix:times:)`` has planned a fault for the
    /// request; `nil` to respond normally. The server does not act on a request that gets this status.
    public var failure: Int?
    /// Whether responses lack `Date`, as those of a server without a clock (RFC 9110 section 6.6.1).
    public var omitsDate: Bool

    /// Creates standing faults. Without arguments, the server works normally.
    public init(delay: Duration? = nil, failure: Int? = nil, omitsDate: Bool = false) {
        (self.delay, self.failure, self.omitsDate) = (delay, failure, omitsDate)
    }
}

/// The planned faults. Each fault applies to the next `times` requests whose path begins with its prefix. If several faults
/// match a request, only the one added first applies.
struct FaultPlan: Sendable {
    private var pending: [(pathPrefix: String, fault: Fault, times: Int)] = []

    mutating func add(_ fault: Fault, pathPrefix: String, times: Int) {
        if times > 0 { pending.append((pathPrefix, fault, times)) }
    }

    mutating func take(for path: String) -> Fault? {
        guard let index = pending.firstIndex(where: { path.hasPrefix($0.pathPrefix) }) else { return nil }
        pending[index].times -= 1
        return pending[index].times == 0 ? pending.remove(at: index).fault : pending[index].fault
    }

    mutating func removeAll() { pending.removeAll() }
}
