import Foundation
import IdentityKit
import Synchronization

/// Names the app in each request, and counts what is sent and what arrives of streams.
public final class NamedTransport: HTTPTransport {
    private let app: String
    private let base: any HTTPTransport
    private let counts = Mutex((requests: 0, streamed: 0))

    public init(app: String, over base: any HTTPTransport = DefaultTransport.make(deadline: .seconds(10))) {
        (self.app, self.base) = (app, base)
    }

    public var requests: Int { counts.withLock { $0.requests } }

    /// Bytes of the streams so far.
    public var streamed: Int { counts.withLock { $0.streamed } }

    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await base.data(for: named(request))
    }

    public func data(for request: URLRequest, upTo limit: Int) async throws -> (Data, HTTPURLResponse) {
        try await base.data(for: named(request), upTo: limit)
    }

    public func stream(for request: URLRequest) async throws -> HTTPStream {
        let stream = try await base.stream(for: named(request))
        return HTTPStream(head: stream.head) { [self] in
            let part = try await stream.body.next()
            counts.withLock { $0.streamed += part?.count ?? 0 }
            return part
        }
    }

    private func named(_ request: URLRequest) -> URLRequest {
        counts.withLock { $0.requests += 1 }
        var request = request
        request.setValue(app, forHTTPHeaderField: "User-Agent")
        return request
    }
}
