import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport, which sends the requests to one path elsewhere while there is an outage, or keeps them or their
/// responses for ever, as the death of their process does.
final class Detour: HTTPTransport {
    enum Phase { case request, response }

    private let path: String
    private let destination = Locked<URL?>(nil)
    private let held = Locked<(phase: Phase?, waiters: [CheckedContinuation<Void, any Error>])>((nil, []))
    private let base = DefaultTransport.make()

    init(of path: String) { self.path = path }

    /// How many requests are kept.
    var heldCount: Int { held.withLock { $0.waiters.count } }

    /// Keeps the requests, or their responses, from now on; with `nil` only those that are kept already.
    func hold(_ phase: Phase?) { held.withLock { $0.phase = phase } }

    /// Hands on what is kept.
    func releaseHeld() {
        let waiters = held.withLock { held in
            defer { held.waiters = [] }
            return held.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets what is kept fail.
    func dropHeld() {
        let waiters = held.withLock { held in
            defer { held.waiters = [] }
            return held.waiters
        }
        for waiter in waiters { waiter.resume(throwing: CancellationError()) }
    }

    private func holdUp(_ request: URLRequest, at phase: Phase) async throws {
        guard request.url?.path == path, held.withLock({ $0.phase }) == phase else { return }
        try await withCheckedThrowingContinuation { waiter in held.withLock { $0.waiters.append(waiter) } }
    }

    /// Sends them to scheme, host and port of an address from now on, or with `nil` to their own.
    func lead(to address: URL?) { destination.withLock { $0 = address } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await holdUp(request, at: .request)
        let answer = try await send(request)
        try await holdUp(request, at: .response)
        return answer
    }

    private func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let destination = destination.withLock({ $0 }), let url = request.url, url.path == path,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return try await base.data(for: request) }
        (parts.scheme, parts.host, parts.port) = (destination.scheme, destination.host, destination.port)
        var diverted = request
        diverted.url = parts.url
        return try await base.data(for: diverted)
    }
}
