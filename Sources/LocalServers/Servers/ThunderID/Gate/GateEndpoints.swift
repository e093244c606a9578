import Foundation
import IdentityKit

/// The hosted pages (contract 0, gate). The real ones are a program in the browser; these do the same without a script.
enum Gate {
    static let signIn = "/gate/signin"
    static let signOut = "/gate/signout"
    static let invite = "/gate/invite"
    static let error = "/gate/error"
    static let step = "/gate/step"
}

/// `GET /gate/signin`, `/gate/signout` and `/gate/invite`: where the authorization and the logout endpoint, another provider
/// and the links in messages lead to.
struct OpenGate: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        try call.gatePage {
            if let state = call.gateParameter("state") { return try call.comeBack(state: state) }
            guard let executionID = call.gateParameter("executionId") ?? call.gateParameter("id") else {
                throw GateFailure.notBegun
            }
            guard let execution = call.backend.flows.standing(of: executionID) else { throw GateFailure.over }
            // What came in a message stands in for everything the browser would have to know (contract 1.5).
            let sent = ["token", "inviteToken"].compactMap { name in call.gateParameter(name).map { (name, $0) } }
            if let visit = call.backend.gateVisits[executionID] {
                guard visit.ending == nil else { throw GateFailure.over }
                guard sent.isEmpty else {
                    var visit = visit
                    // Whoever has the message goes on, and whoever merely asked for it does not.
                    visit.browser = call.gateBrowser ?? LocalIdentifiers.base64URL(byteCount: 18)
                    return try call.advance(visit, inputs: Dictionary(sent) { $1 })
                }
                guard call.gateBrowser == visit.browser else { throw GateFailure.otherBrowser }
                return call.show(visit)
            }
            let visit = GateVisit(
                executionID: executionID, applicationID: execution.applicationID,
                authID: call.gateParameter("authId"), logoutID: call.gateParameter("logoutId"),
                browser: call.gateBrowser ?? LocalIdentifiers.base64URL(byteCount: 18),
                warnsOfPlainAddress: call.gateParameter("showInsecureWarning") == "true",
                expiresAt: execution.expiresAt)
            return try call.advance(visit, inputs: Dictionary(sent) { $1 })
        }
    }
}

/// `POST /gate/step`: what somebody filled in. The address is not ThunderID's, whose pages are a program.
struct TakeGateStep: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        guard call.request.isFromOwnPage else { return HTMLPage.foreignForm(site: GatePage.site) }
        return try call.gatePage {
            guard let visit = call.request.formValue("executionId").flatMap({ call.backend.gateVisits[$0] }),
                let step = visit.step
            else { throw GateFailure.over }
            guard call.gateBrowser == visit.browser else { throw GateFailure.otherBrowser }
            guard call.request.formValue("challengeToken") == step.challengeToken else {
                guard visit.ending == nil else { throw GateFailure.over }
                return call.show(visit, problem: "That page was old. Go on here.")
            }
            if let ending = visit.ending { return ending }
            guard call.request.formValue(GatePage.leaving) == nil else { return try call.leave(visit) }
            let answer = GateAnswer(to: step, call.request.form ?? [])
            return try call.advance(visit, inputs: answer.inputs, action: answer.action, typed: answer.repeatable)
        }
    }
}

/// `GET /gate/error`: what nobody but the person can be told.
struct GateErrorPage: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        let text = call.gateParameter("errorMessage") ?? "The request could not be completed."
        let code: HTML? = call.gateParameter("errorCode").map {
            "<p class=\"quiet\">The code of this error is <code>\($0)</code>.</p>"
        }
        return HTMLPage("This did not work", site: GatePage.site, alert: text, content: [code].compactMap { $0 })
            .response()
    }
}

/// Why a hosted page cannot go on, in a person's words.
enum GateFailure: Error {
    case notBegun
    case over
    case otherBrowser
    case refused(String)

    var text: String {
        switch self {
        case .notBegun: "This page is reached from an application. Begin there."
        case .over: "This is over or took too long. Go back to the application and start again."
        case .otherBrowser: "This was begun in another browser. Go on there, or start again in the application."
        case .refused(let text): text
        }
    }

    var response: LocalResponse {
        HTMLPage("This did not work", site: GatePage.site, alert: text).response(status: 400)
    }
}

extension ThunderIDCall {
    /// A parameter of a page's address, unless it is empty.
    fileprivate func gateParameter(_ name: String) -> String? {
        request.queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate var gateBrowser: String? { request.cookie(GateVisits.cookieName) }

    /// What a flow throws, as a page for a person.
    fileprivate func gatePage(_ body: () throws -> LocalResponse) throws -> LocalResponse {
        do {
            return try body()
        } catch let failure as GateFailure {
            return failure.response
        } catch ThunderIDFailure.api(_, let error, _) where error == .invalidExecution {
            return GateFailure.over.response
        }
    }

    /// Runs the flow further and shows where it stands.
    fileprivate func advance(
        _ visit: GateVisit, inputs: [String: String], action: String? = nil, typed: [String: String] = [:]
    ) throws -> LocalResponse {
        var visit = visit
        let step = try backend.flows.resume(
            visit.executionID, challengeToken: visit.step?.challengeToken, inputs: inputs, action: action,
            from: flowCaller)
        switch step.status {
        case .incomplete:
            visit.step = step
            backend.gateVisits.keep(visit)
            return show(visit, typed: typed).changing(step.sessionChange)
        case .complete:
            return end(visit, with: finish(visit, step).changing(step.sessionChange))
        case .error where step.error == .challengeTokenInvalid:
            throw GateFailure.otherBrowser
        case .error:
            if let authID = visit.authID, let assertion = step.errorAssertion {
                return end(visit, with: .leaving(to: backend.callbackAddress(authID: authID, assertion: assertion)))
            }
            let failure = GateFailure.refused(step.error?.readableDescription ?? GateFailure.over.text)
            return end(visit, with: failure.response)
        }
    }

    /// Keeps what the flow led to, in case the last form is sent once more.
    private func end(_ visit: GateVisit, with response: LocalResponse) -> LocalResponse {
        var visit = visit
        visit.ending = response
        backend.gateVisits.keep(visit)
        return response
    }

    /// Goes back to the application, which hears that the person did not sign in (contract 2.2, `end_user_error`).
    fileprivate func leave(_ visit: GateVisit) throws -> LocalResponse {
        guard canLeave(visit), let authID = visit.authID, let assertion = try backend.flows.abandon(visit.executionID)
        else { throw GateFailure.over }
        return end(visit, with: .leaving(to: backend.callbackAddress(authID: authID, assertion: assertion)))
    }

    /// Whether an application waits that can be told.
    private func canLeave(_ visit: GateVisit) -> Bool { request(of: visit) != nil }

    /// Somebody comes back from another provider (contract 1.11, federated).
    fileprivate func comeBack(state: String) throws -> LocalResponse {
        guard let browser = gateBrowser,
            let visit = backend.gateVisits.visit(ofBrowser: browser, federationState: state)
        else { throw GateFailure.over }
        guard let code = gateParameter("code") else {
            return refused(visit, by: visit.step?.additionalData["idpName"] ?? "The other provider")
        }
        return try advance(visit, inputs: ["code": code, "state": state])
    }

    /// The other provider did not sign the person in. Nothing is left to do but to go back.
    private func refused(_ visit: GateVisit, by name: String) -> LocalResponse {
        var page = HTMLPage("This did not work", site: GatePage.site, alert: "\(name) did not sign you in.")
        if let step = visit.step, canLeave(visit) {
            page.content = [GatePage.wayBack(visit, step, action: backend.baseURL + Gate.step).html]
        } else {
            page.content = ["<p>Go back to the application and start again.</p>"]
        }
        page.formTargets = targets(of: visit)
        return page.response(status: 400)
    }

    /// The page of the latest step, or the way to another provider.
    fileprivate func show(
        _ visit: GateVisit, typed: [String: String] = [:], problem: String? = nil
    ) -> LocalResponse {
        guard let step = visit.step else { return HTMLPage("Sign in", site: GatePage.site).response() }
        let path = URLComponents(string: backend.baseURL)?.path ?? ""
        let cookie = "\(GateVisits.cookieName)=\(visit.browser); Path=\(path)/gate; HttpOnly; SameSite=Lax"
        if let target = step.view.redirectURL { return .leaving(to: target).with(header: "Set-Cookie", cookie) }
        var page = GatePage(
            visit, step, application: backend.application(id: visit.applicationID), action: backend.baseURL + Gate.step,
            typed: typed, warnsOfPlainAddress: visit.warnsOfPlainAddress && !staysHere(visit),
            canLeave: canLeave(visit)
        ).page
        page.alert = problem ?? page.alert
        page.formTargets = targets(of: visit)
        return page.response().with(header: "Set-Cookie", cookie)
    }

    /// Where a form of this visit may lead in the end: to the application, and to other providers and from there to wherever
    /// they send people.
    private func targets(of visit: GateVisit) -> [String] {
        let request = request(of: visit)
        let signOut = visit.logoutID.flatMap(backend.authorizations.signOuts.value)
        return [request?.redirectURI, signOut].compactMap { $0 } + backend.upstream.redirectURIs
    }

    private func request(of visit: GateVisit) -> AuthorizationRequest? {
        visit.authID.flatMap(backend.authorizations.pending.value)
    }

    /// Whether the answer does not leave this machine, where nobody need encrypt it.
    private func staysHere(_ visit: GateVisit) -> Bool {
        let host = request(of: visit).flatMap { URLComponents(string: $0.redirectURI)?.host }
        return host.map(ServerURL.isLoopback) ?? false
    }

    /// The flow is over: back to whoever waits for it.
    private func finish(_ visit: GateVisit, _ step: FlowStep) -> LocalResponse {
        if let logoutID = visit.logoutID {
            let target = backend.authorizations.signOuts.take(logoutID) ?? ""
            guard target.isEmpty else { return .leaving(to: target) }
            return HTMLPage("Signed out", site: GatePage.site, content: ["<p>You can close this page.</p>"]).response()
        }
        if let authID = visit.authID, let assertion = step.assertion {
            return .leaving(to: backend.callbackAddress(authID: authID, assertion: assertion))
        }
        return GatePage(
            visit, step, application: backend.application(id: visit.applicationID), action: ""
        ).lastPage.response()
    }
}

extension LocalResponse {
    /// `303 See Other`: to an address nobody may keep.
    fileprivate static func leaving(to location: String) -> LocalResponse {
        LocalResponse(status: 303, headers: [("Location", location), ("Cache-Control", "no-store")])
    }

    fileprivate func changing(_ change: FlowStep.SessionChange?) -> LocalResponse {
        change.map { with(header: "Set-Cookie", $0.cookie) } ?? self
    }
}
