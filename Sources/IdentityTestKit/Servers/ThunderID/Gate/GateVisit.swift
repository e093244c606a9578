#if Tools
import Foundation
import IdentityKit

/// Somebody on the hosted pages, in the middle of a flow.
struct GateVisit: Sendable {
    let executionID: String
    let applicationID: String
    /// The authorization request that waits for the sign-in (contract 2.1).
    let authID: String?
    /// The sign-out request that waits for the flow.
    let logoutID: String?
    /// Whose browser it is: the value of ``GateVisits/cookieName``.
    var browser: String
    /// Whether the application's address is not encrypted (contract 2.1, `showInsecureWarning`).
    let warnsOfPlainAddress: Bool
    /// The latest answer of the flow.
    var step: FlowStep?

    /// The `state` the other provider brings back (contract 1.11, federated).
    var federationState: String? {
        step?.view.redirectURL.flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == "state" }?.value }
    }
}

/// The visits that are not over, by the execution they run. A page can be loaded again without running the flow again.
final class GateVisits: Sendable {
    static let cookieName = "thunderid_gate"

    private let visits = Locked<[String: GateVisit]>([:])

    subscript(executionID: String) -> GateVisit? {
        get { visits.withLock { $0[executionID] } }
        set { visits.withLock { $0[executionID] = newValue } }
    }

    /// The visit of this browser that waits for this answer of another provider.
    func visit(ofBrowser browser: String, federationState: String) -> GateVisit? {
        visits.withLock { visits in
            visits.values.first { $0.browser == browser && $0.federationState == federationState }
        }
    }
}
#endif
