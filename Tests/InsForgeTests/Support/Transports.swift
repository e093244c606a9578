import Foundation
import IdentityKit
import InsForge

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport, which remembers what was sent.
final class RecordingTransport: HTTPTransport {
    private let base = DefaultTransport.make()
    private let sent = Locked<[URLRequest]>([])

    var requests: [URLRequest] { sent.withLock { $0 } }

    func requests(to path: String) -> [URLRequest] {
        requests.filter { $0.url?.path == path }
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        sent.withLock { $0.append(request) }
        return try await base.data(for: request)
    }
}

extension URLRequest {
    /// The JSON body.
    var json: JSONValue { (try? JSONValue(parsing: httpBody ?? Data())) ?? .null }

    /// The bearer credential.
    var bearer: String? { value(forHTTPHeaderField: "Authorization") }
}

/// The default transport, which keeps the answers from one path until it is opened: a network that is slow at the wrong
/// moment.
final class HeldTransport: HTTPTransport {
    private let base = DefaultTransport.make()
    private let path: String
    private let arrival = Signal()
    private let release = Signal()

    init(holding path: String) {
        self.path = path
    }

    /// Waits until the server has answered a request that is held back.
    func answered() async { await arrival.wait() }

    /// Lets every answer through from now on.
    func open() { release.fire() }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let answer = try await base.data(for: request)
        if request.url?.path == path {
            arrival.fire()
            await release.wait()
        }
        return answer
    }
}

/// Something that happens once.
final class Signal: Sendable {
    private struct State {
        var hasFired = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func fire() {
        let waiters = state.withLock { state in
            state.hasFired = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { waiter in
            let hasFired = state.withLock { state in
                if !state.hasFired { state.waiters.append(waiter) }
                return state.hasFired
            }
            if hasFired { waiter.resume() }
        }
    }
}

/// A log that is kept for a test.
final class KeptLog: LogHandler {
    private let kept = Locked<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func log(_ level: LogLevel, _ message: String) { kept.withLock { $0.append("\(level): \(message)") } }
}
