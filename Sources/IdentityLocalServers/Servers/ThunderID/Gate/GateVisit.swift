import Foundation

/// The visits to the hosted pages. The key of a visit is the identifier of the flow execution that the pages show.
typealias GateVisits = ExpiringStore<GateVisit>

/// A browser's visit to the hosted pages during a flow.
struct GateVisit: Sendable {
    let executionID: String
    /// The identifier of the application to sign in to; empty for a flow without an application. The identifier comes from
    /// the flow execution, because the identifier in the page's address could be forged.
    let applicationID: String
    /// The identifier of the authorization or backchannel request that the sign-in is for; `nil` if there is none.
    let authID: String?
    /// The identifier of the sign-out request that the flow is for; `nil` if there is none.
    let logoutID: String?
    /// The identifier of the visitor's browser: the value of the cookie `GateVisits.cookieName`.
    var browser: String
    /// Whether the page's address asks for a warning (`showInsecureWarning`) that the application's address is
    /// unencrypted.
    let warnsOfPlainAddress: Bool
    let expiresAt: Date
    var step: FlowStep?
    /// The flow's final response; `nil` until the flow has ended. The response is kept, because a double click sends the last
    /// form twice, and the browser shows only the response to the second form.
    var ending: LocalResponse?

    /// The `state` that the other provider must return; `nil` if the flow does not wait for another provider.
    var federationState: String? {
        step?.view.redirectURL.flatMap { URLComponents(string: $0)?.queryItems?.first { $0.name == "state" }?.value }
    }
}

extension ExpiringStore<GateVisit> {
    static var cookieName: String { "thunderid_gate" }

    /// Keeps a visit as long as its execution can continue, so that reloading a page does not run the flow again.
    func keep(_ visit: GateVisit) { insert(visit, for: visit.executionID, until: visit.expiresAt) }

    /// The unfinished visit of this browser that expects this `state` from another provider.
    func visit(ofBrowser browser: String, federationState: String) -> GateVisit? {
        waiting.first { $0.browser == browser && $0.federationState == federationState && $0.ending == nil }
    }
}
