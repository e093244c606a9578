import Foundation
import IdentityKit

/// The sign-ins that wait for a person to confirm a message (OpenID Connect CIBA, poll mode).
final class BackchannelRequests: Sendable {
    /// The person's authentication when they confirmed.
    struct Confirmation: Sendable {
        let attributeCacheID: String?
        let authenticationTime: Int64
        let authenticationClass: String?
    }

    enum Decision: Sendable {
        case pending
        case denied
        case failed(String)
        case confirmed(Confirmation)
        case used
    }

    struct Request: Sendable {
        let clientID: String
        let userID: String
        let scopes: [String]
        let resource: String?
        /// The name of the request at the page that the message leads to.
        let authID: String
        let executionID: String
        let expiresAt: Date
        var interval: TimeInterval = BackchannelRequests.interval
        var askedAt: Date?
        var decision = Decision.pending
    }

    enum PollResult: Sendable {
        case confirmed(Request, Confirmation)
        case pending
        case slowDown
        case denied
        case failed(String)
        case expired
        case unknown
    }

    static let lifetime: TimeInterval = 300
    static let interval: TimeInterval = 5

    private let requests = Locked<[String: Request]>([:])
    private let time: TimeSource

    init(time: TimeSource) {
        self.time = time
    }

    /// Adds a request. An expired one is kept for another lifetime, so that its client learns that it is too late.
    func add(_ request: Request, id: String) {
        let now = time.now
        requests.withLock { requests in
            requests = requests.filter { now < $1.expiresAt + Self.lifetime }
            requests[id] = request
        }
    }

    /// The request that waits under the name of the page.
    func waiting(authID: String) -> Request? {
        requests.withLock { $0.values.first { $0.authID == authID } }.flatMap(waiting)
    }

    /// The request that waits for a flow.
    func waiting(executionID: String) -> Request? {
        requests.withLock { $0.values.first { $0.executionID == executionID } }.flatMap(waiting)
    }

    private func waiting(_ request: Request) -> Request? {
        guard case .pending = request.decision, time.now < request.expiresAt else { return nil }
        return request
    }

    /// Notes the decision about a request that waits; the first one counts.
    func decide(_ decision: Decision, authID: String) {
        requests.withLock { requests in
            guard let (id, request) = requests.first(where: { $1.authID == authID }),
                case .pending = request.decision
            else { return }
            requests[id]?.decision = decision
        }
    }

    /// Handles a poll (OpenID Connect CIBA Core section 11). A confirmation is returned once.
    func ask(_ id: String, clientID: String) -> PollResult {
        requests.withLock { requests in
            guard var request = requests[id], request.clientID == clientID else { return .unknown }
            guard time.now < request.expiresAt else { return .expired }
            switch request.decision {
            case .denied: return .denied
            case .failed(let reason): return .failed(reason)
            case .used: return .unknown
            case .confirmed(let confirmation):
                requests[id]?.decision = .used
                return .confirmed(request, confirmation)
            case .pending:
                let isTooFast = request.askedAt.map { time.now < $0 + request.interval } ?? false
                request.askedAt = time.now
                if isTooFast { request.interval += 5 }
                requests[id] = request
                return isTooFast ? .slowDown : .pending
            }
        }
    }
}
