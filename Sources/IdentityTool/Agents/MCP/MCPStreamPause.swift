/// The time to wait before a stream of the server is opened again.
///
/// The client's own pause is 1 second at first, and doubles up to 60 seconds. The server may name another pause. The time to wait
/// is:
/// - after a stream that the server ended: the server's pause, or the client's own pause if the server has named none;
/// - after a failure: the longer of the two pauses. The server's pause is meant for the end of a stream, and must not shorten the
///   growing pause after a failure.
struct MCPStreamPause {
    private var own = Duration.seconds(1)

    mutating func next(namedByServer named: Duration?, afterFailure hasFailed: Bool) -> Duration {
        defer { own = min(own * 2, .seconds(60)) }
        return hasFailed ? max(named ?? .zero, own) : named ?? own
    }
}
