import Foundation

/// Serves HTTP connections to loopback addresses on a thread of its own. Only this thread uses the connections.
final class LoopbackServer: Sendable {
    /// The largest number of simultaneous connections. One more connection closes the oldest, so that a program that opens
    /// many connections cannot keep the browser out.
    private static let mostConnections = 32
    /// The longest duration of a connection, after which the server closes it.
    private static let deadline = Duration.seconds(15)
    /// The pause in milliseconds after a connection could not be accepted, such as for lack of a file descriptor.
    private static let pause: Int32 = 100

    private struct Orders: Sendable {
        var stops = false
        var hasStopped = false
        var overdue: Set<Int> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let orders = Locked(Orders())
    private let wakeUp: Int32
    private let time: TimeSource
    private let handler: @Sendable (LoopbackRequest) -> LoopbackResponse

    /// Starts a thread that serves until ``stop()`` or ``stopSoon()`` is called. Without either call, the thread runs forever.
    /// - Parameters:
    ///   - listeners: the descriptors of the listening sockets. The server closes them when it stops.
    ///   - time: the clock for the deadlines of connections.
    ///   - handler: returns the response to a request. Called on the server's thread.
    /// - Throws: `LoopbackBrowserError.cannotListen(errno:)` when the system provides no pipe to wake the thread.
    init(
        _ listeners: [Int32], time: TimeSource, handler: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse
    ) throws(LoopbackBrowserError) {
        let pipe = try LoopbackSocket.pipe()
        (self.time, self.handler, wakeUp) = (time, handler, pipe.writing)
        Thread.detachNewThread { self.serve(listeners, orders: pipe.reading) }
    }

    /// Stops listening, closes every connection, and returns when both are done.
    func stop() async {
        order { $0.stops = true }
        await withCheckedContinuation { continuation in
            let hasStopped = orders.withLock { orders in
                if !orders.hasStopped { orders.waiting.append(continuation) }
                return orders.hasStopped
            }
            if hasStopped { continuation.resume() }
        }
    }

    func stopSoon() { order { $0.stops = true } }

    private func order(_ change: (inout Orders) -> Void) {
        orders.withLock { orders in
            // After the stop, the pipe's descriptor may belong to another file.
            guard !orders.hasStopped else { return }
            change(&orders)
            LoopbackSocket.wake(wakeUp)
        }
    }

    private func serve(_ listeners: [Int32], orders pipe: Int32) {
        var connections: [LoopbackConnection] = []
        var (number, isExhausted) = (0, false)
        while true {
            let waits =
                [(pipe, false)] + (isExhausted ? [] : listeners.map { ($0, false) })
                + connections.map { ($0.descriptor, $0.isSending) }
            let ready = LoopbackSocket.wait(for: waits, timeout: isExhausted ? Self.pause : -1)
            if ready.contains(pipe) { LoopbackSocket.drain(pipe) }
            let (stops, overdue) = orders.withLock { orders in
                defer { orders.overdue = [] }
                return (orders.stops, orders.overdue)
            }
            if stops { break }
            connections = connections.compactMap { connection in
                var connection = connection
                let goesOn =
                    !overdue.contains(connection.number)
                    && (!ready.contains(connection.descriptor) || connection.advance(handler))
                if !goesOn { connection.close() }
                return goesOn ? connection : nil
            }
            isExhausted = false
            for listener in listeners where ready.contains(listener) {
                guard let descriptor = LoopbackSocket.accept(on: listener) else {
                    isExhausted = !LoopbackSocket.hasNoConnection
                    continue
                }
                number += 1
                connections.append(
                    LoopbackConnection(number: number, descriptor: descriptor, deadline: deadline(of: number)))
                if connections.count > Self.mostConnections { connections.removeFirst().close() }
            }
        }
        finish(connections, listeners, orders: pipe)
    }

    /// Closes all descriptors, and then resumes the callers of ``stop()``.
    private func finish(_ connections: [LoopbackConnection], _ listeners: [Int32], orders pipe: Int32) {
        for connection in connections { connection.close() }
        for listener in listeners { LoopbackSocket.close(listener) }
        let waiting = orders.withLock { orders in
            orders.hasStopped = true
            defer { orders.waiting = [] }
            return orders.waiting
        }
        LoopbackSocket.close(pipe)
        LoopbackSocket.close(wakeUp)
        for continuation in waiting { continuation.resume() }
    }

    private func deadline(of number: Int) -> Task<Void, Never> {
        Task {
            guard (try? await time.sleep(for: Self.deadline)) != nil else { return }
            order { $0.overdue.insert(number) }
        }
    }
}
