import Foundation

/// The visits of the hosted pages, by the execution that they run.
typealias GateVisits = ExpiringStore<GateVisit>

/// A browser on the hosted pages, in the middle of a flow.
struct GateVisit: Sendable {
    let executionID: String
    /// The application to sign in to, from the execution. The page's address could be forged.
    let applicationID: String
    /// The authorization request that waits for the sign-in.
    let authID: String?
    /// The sign-out request that waits for the flow.
    let logoutID: String?
    /// The visitor's browser: the value of `GateVisits.cookieName`.
    var browser: String
    /// Whether the application's address is not encrypted (`showInsecureWarning`).
    let warnsOfPlainAddress: Bool
    let expiresAt: Date
    var step: FlowStep?
    /// The response to the last form. A second click sends that form again, and the browser shows the second response.
    var ending: LocalResponse?

    /// The `state` the other provider brings back.
    var federationState: String? {
        step?.view.redirectURL.flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == "state" }?.value }
    }
}

extension ExpiringStore<GateVisit> {
    static var cookieName: String { "thunderid_gate" }

    /// Keeps a visit for as long as its execution can continue. A page can be loaded again without running the flow again.
    func keep(_ visit: GateVisit) { insert(visit, for: visit.executionID, until: visit.expiresAt) }

    /// The visit of this browser that waits for this response of another provider.
    func visit(ofBrowser browser: String, federationState: String) -> GateVisit? {
        waiting.first { $0.browser == browser && $0.federationState == federationState && $0.ending == nil }
    }
}
