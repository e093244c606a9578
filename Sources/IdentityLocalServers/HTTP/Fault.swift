/// A way in which a local server can fail one request, as real networks and servers do.
public enum Fault: Sendable {
    /// Send this response without running the handler, so that the server does not act on the request.
    case answer(LocalResponse)
    /// Run the handler, then send this response instead of its own: the server has acted, but the client does not learn
    /// the result.
    case answerAfterActing(LocalResponse)
    /// Run the handler, then close the connection without a response.
    case dropAnswer
    /// Run the handler, then hold the response until the gate opens.
    case holdAnswer(AnswerGate)
    /// Run the handler, then send only the first half of the body and close.
    case truncateAnswer
    /// Never respond; the connection stays open until the client leaves or the server stops.
    case hang
}

/// Faults of all responses of a local server, in effect until they are changed.
public struct StandingFaults: Sendable, Equatable {
    /// The delay before a request is handled.
    public var delay: Duration?
    /// The status of every response; the server does not act on requests.
    public var failure: Int?
    /// Whether responses lack `Date`, as those of a server without a clock (RFC 9110 section 6.6.1).
    public var omitsDate: Bool

    /// Creates standing faults, by default none.
    public init(delay: Duration? = nil, failure: Int? = nil, omitsDate: Bool = false) {
        (self.delay, self.failure, self.omitsDate) = (delay, failure, omitsDate)
    }
}

/// The planned faults: each applies to the next requests whose path has its prefix, for the given number of times.
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
