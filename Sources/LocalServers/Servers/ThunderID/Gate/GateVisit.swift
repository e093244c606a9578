import Foundation
import IdentityKit

/// Somebody on the hosted pages, in the middle of a flow.
struct GateVisit: Sendable {
    let executionID: String
    /// What they sign in to. The execution knows; what the address says, anybody can write.
    let applicationID: String
    /// The authorization request that waits for the sign-in (contract 2.1).
    let authID: String?
    /// The sign-out request that waits for the flow.
    let logoutID: String?
    /// Whose browser it is: the value of ``GateVisits/cookieName``.
    var browser: String
    /// Whether the application's address is not encrypted (contract 2.1, `showInsecureWarning`).
    let warnsOfPlainAddress: Bool
    /// When the flow ends, whether anybody goes on or not.
    let expiresAt: Date
    /// The latest answer of the flow.
    var step: FlowStep?
    /// What the last form led to. A second click sends that form again, and the browser then waits for the second answer.
    var ending: LocalResponse?

    /// The `state` the other provider brings back (contract 1.11, federated).
    var federationState: String? {
        step?.view.redirectURL.flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == "state" }?.value }
    }
}

/// The visits, by the execution they run, for as long as that can go on. A page can be loaded again without running the flow
/// again.
final class GateVisits: Sendable {
    static let cookieName = "thunderid_gate"

    private let visits = Locked<[String: GateVisit]>([:])
    private let time: TimeSource

    init(time: TimeSource) {
        self.time = time
    }

    subscript(executionID: String) -> GateVisit? {
        visits.withLock { $0[executionID] }.flatMap { time.now < $0.expiresAt ? $0 : nil }
    }

    /// Keeps a visit, and forgets those whose time is over.
    func keep(_ visit: GateVisit) {
        let now = time.now
        visits.withLock { visits in
            visits = visits.filter { now < $1.expiresAt }
            visits[visit.executionID] = visit
        }
    }

    /// How many are kept.
    var count: Int { visits.withLock { $0.count } }

    /// The visit of this browser that waits for this answer of another provider.
    func visit(ofBrowser browser: String, federationState: String) -> GateVisit? {
        visits.withLock { visits in
            visits.values.first { $0.browser == browser && $0.federationState == federationState && $0.ending == nil }
        }
    }
}
