import Foundation
import IdentityKit

/// A sign-in for which a client polls while a person decides on another device.
protocol PolledRequest: Sendable {
    var clientID: String { get }
}

/// The sign-ins for which clients poll until a person has decided (RFC 8628 section 3.5, OpenID Connect CIBA Core section 11).
final class PolledSignIns<Request: PolledRequest, Grant: Sendable>: Sendable {
    enum Decision: Sendable {
        case denied
        case failed(String)
        case granted(Grant)
    }

    enum PollResult: Sendable {
        case granted(Request, Grant)
        case pending
        case slowDown
        case denied
        case failed(String)
        case expired
        case unknown
    }

    private struct Entry: Sendable {
        let request: Request
        let expiresAt: Date
        var interval: TimeInterval
        var askedAt: Date?
        var decision: Decision?
        var isUsed = false
    }

    private let entries = Locked<[String: Entry]>([:])
    private let lifetime: TimeInterval
    private let interval: TimeInterval
    private let time: TimeSource

    init(lifetime: Duration, interval: Duration, time: TimeSource) {
        (self.lifetime, self.interval, self.time) = (lifetime.timeInterval, interval.timeInterval, time)
    }

    /// Adds a request, and removes all requests that expired at least the usual lifetime ago. A poll for an expired request
    /// returns `expired` as long as the request is not removed, and then `unknown`.
    /// - Parameter ownLifetime: the lifetime in seconds; `nil` for the usual one.
    func add(_ request: Request, id: String, lifetime ownLifetime: TimeInterval? = nil) {
        let now = time.now
        let entry = Entry(request: request, expiresAt: now + (ownLifetime ?? lifetime), interval: interval)
        entries.withLock { entries in
            entries = entries.filter { now < $1.expiresAt + lifetime }
            entries[id] = entry
        }
    }

    /// The requests that await a person's decision.
    var waiting: [Request] {
        let now = time.now
        return entries.withLock { Array($0.values) }.filter { $0.decision == nil && now < $0.expiresAt }.map(\.request)
    }

    /// Records a decision about the request that `isMeant` accepts. Later decisions are ignored.
    /// - Returns: the effective decision; `nil` if the request is unknown or expired, or its grant was returned to the
    ///   client.
    @discardableResult
    func decide(_ decision: Decision, where isMeant: (Request) -> Bool) -> Decision? {
        entries.withLock { entries in
            let match = entries.first { isMeant($1.request) && time.now < $1.expiresAt && !$1.isUsed }
            guard let (id, entry) = match else { return nil }
            entries[id]?.decision = entry.decision ?? decision
            return entry.decision ?? decision
        }
    }

    /// Handles a client's poll. A grant is returned only once. Polling too fast lengthens the interval by 5 seconds.
    func ask(_ id: String, clientID: String) -> PollResult {
        entries.withLock { entries in
            guard var entry = entries[id], entry.request.clientID == clientID else { return .unknown }
            defer { entries[id] = entry }
            guard time.now < entry.expiresAt else { return .expired }
            switch entry.decision {
            case .denied: return .denied
            case .failed(let reason): return .failed(reason)
            case .granted(let grant):
                guard !entry.isUsed else { return .unknown }
                entry.isUsed = true
                return .granted(entry.request, grant)
            case nil:
                let isTooFast = entry.askedAt.map { time.now < $0 + entry.interval } ?? false
                entry.askedAt = time.now
                if isTooFast { entry.interval += 5 }
                return isTooFast ? .slowDown : .pending
            }
        }
    }
}
