import Foundation
import IdentityKit

/// The paths of the hosted pages. A real server's pages are a JavaScript program. This server's pages work without a
/// script.
enum Gate {
    static let signIn = "/gate/signin"
    static let signOut = "/gate/signout"
    static let invite = "/gate/invite"
    static let error = "/gate/error"
    static let step = "/gate/step"
}

extension ThunderIDCall {
    /// `GET /gate/signin`, `/gate/signout` and `/gate/invite`: opens a hosted page. The authorization and logout endpoints,
    /// other providers and links in messages lead to these addresses.
    func openGate() throws -> LocalResponse {
        try gatePage {
            if let state = gateParameter("state") { return try comeBack(state: state) }
            guard let executionID = gateParameter("executionId") ?? gateParameter("id") else {
                throw GateError.notBegun
            }
            guard let execution = backend.flows.standing(of: executionID) else { throw GateError.over }
            // A token from a mailed link replaces the check of the browser's cookie, so any browser may continue the flow.
            let sent = ["token", "inviteToken"].compactMap { name in gateParameter(name).map { (name, $0) } }
            if let visit = backend.gateVisits.value(executionID) {
                guard visit.ending == nil else { throw GateError.over }
                guard sent.isEmpty else {
                    var visit = visit
                    // The flow continues in the browser that opens the link, not in the one that requested it.
                    visit.browser = gateBrowser ?? LocalIdentifiers.base64URL(byteCount: 18)
                    return try advance(visit, inputs: Dictionary(sent) { $1 })
                }
                guard gateBrowser == visit.browser else { throw GateError.otherBrowser }
                return show(visit)
            }
            let visit = GateVisit(
                executionID: executionID, applicationID: execution.applicationID,
                authID: gateParameter("authId"), logoutID: gateParameter("logoutId"),
                browser: gateBrowser ?? LocalIdentifiers.base64URL(byteCount: 18),
                warnsOfPlainAddress: gateParameter("showInsecureWarning") == "true",
                expiresAt: execution.expiresAt)
            return try advance(visit, inputs: Dictionary(sent) { $1 })
        }
    }

    /// `POST /gate/step`: receives the form of a hosted page. A real ThunderID server does not have this path, because its
    /// pages call the flow API.
    func takeGateStep() throws -> LocalResponse {
        guard request.isFromOwnPage else { return HTMLPage.foreignForm(site: GatePage.site) }
        return try gatePage {
            guard let visit = request.formValue("executionId").flatMap({ backend.gateVisits.value($0) }),
                let step = visit.step
            else { throw GateError.over }
            guard gateBrowser == visit.browser else { throw GateError.otherBrowser }
            guard request.formValue("challengeToken") == step.challengeToken else {
                guard visit.ending == nil else { throw GateError.over }
                return show(visit, problem: "That page was old. Continue here.")
            }
            if let ending = visit.ending { return ending }
            guard request.formValue(GatePage.leaving) == nil else { return try leave(visit) }
            let answer = GateAnswer(to: step, request.form ?? [])
            if let user = request.chosenPerson.flatMap(backend.users.user(id:)) {
                return try advance(
                    visit, inputs: ["username": user.username, "password": user.password.reveal()],
                    action: answer.action)
            }
            return try advance(visit, inputs: answer.inputs, action: answer.action, typed: answer.repeatable)
        }
    }

    /// `GET /gate/error`: shows an error that is not returned to a client. With the parameter `client_id`, the page reports
    /// an unknown client.
    func gateErrorPage() throws -> LocalResponse {
        if let id = gateParameter("client_id") { return backend.unknownClientPage(id, for: request).response() }
        let text = gateParameter("errorMessage") ?? "The request could not be completed."
        let code: HTML? = gateParameter("errorCode").map {
            "<p class=\"quiet\">The code of this error is <code>\($0)</code>.</p>"
        }
        return HTMLPage("This did not work", site: GatePage.site, alert: text, content: [code].compactMap { $0 })
            .response()
    }
}

/// Reasons why a hosted page cannot continue, with texts for people.
enum GateError: Error {
    case notBegun
    case over
    case otherBrowser
    case refused(String)

    var text: String {
        switch self {
        case .notBegun: "This page is reached from an application. Begin there."
        case .over: "This is over or took too long. Go back to the application and start again."
        case .otherBrowser: "This was begun in another browser. Continue there, or start again in the application."
        case .refused(let text): text
        }
    }

    var response: LocalResponse {
        HTMLPage("This did not work", site: GatePage.site, alert: text).response(status: 400)
    }
}

extension ThunderIDCall {
    /// A parameter of the page's address; `nil` if it is absent or empty.
    fileprivate func gateParameter(_ name: String) -> String? {
        request.queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate var gateBrowser: String? { request.cookies(GateVisits.cookieName).first }

    /// Runs `body`, and converts a ``GateError`` or an unknown execution to an error page. Other errors are rethrown.
    fileprivate func gatePage(_ body: () throws -> LocalResponse) throws -> LocalResponse {
        do {
            return try body()
        } catch let failure as GateError {
            return failure.response
        } catch ThunderIDServerError.api(_, let error, _) where error == .invalidExecution {
            return GateError.over.response
        }
    }

    /// Continues the flow, and shows its next step or its result.
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
            throw GateError.otherBrowser
        case .error:
            if let authID = visit.authID, let assertion = step.errorAssertion {
                return end(visit, with: .seeOther(backend.callbackAddress(authID: authID, assertion: assertion)))
            }
            let failure = GateError.refused(step.error?.readableDescription ?? GateError.over.text)
            return end(visit, with: failure.response)
        }
    }

    /// Keeps the final response, in case the last form is sent again.
    private func end(_ visit: GateVisit, with response: LocalResponse) -> LocalResponse {
        var visit = visit
        visit.ending = response
        backend.gateVisits.keep(visit)
        return response
    }

    /// Cancels the flow. The application gets the error `access_denied`.
    fileprivate func leave(_ visit: GateVisit) throws -> LocalResponse {
        guard canLeave(visit), let authID = visit.authID, let assertion = try backend.flows.abandon(visit.executionID)
        else { throw GateError.over }
        return end(visit, with: .seeOther(backend.callbackAddress(authID: authID, assertion: assertion)))
    }

    /// Whether the person can cancel the flow. This is possible only if an authorization or backchannel request waits for the
    /// flow, because cancelling returns an error to the client of that request.
    private func canLeave(_ visit: GateVisit) -> Bool {
        request(of: visit) != nil || visit.authID.flatMap(backend.backchannel.waiting(authID:)) != nil
    }

    /// Continues after the browser returns from another provider.
    fileprivate func comeBack(state: String) throws -> LocalResponse {
        guard let browser = gateBrowser,
            let visit = backend.gateVisits.visit(ofBrowser: browser, federationState: state)
        else { throw GateError.over }
        guard let code = gateParameter("code") else {
            return refused(visit, by: visit.step?.additionalData["idpName"] ?? "The other provider")
        }
        return try advance(visit, inputs: ["code": code, "state": state])
    }

    /// The page after the other provider refused the sign-in. The page only lets the person return to the application.
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

    /// The page of the latest step, or the redirect to another provider.
    fileprivate func show(
        _ visit: GateVisit, typed: [String: String] = [:], problem: String? = nil
    ) -> LocalResponse {
        guard let step = visit.step else { return HTMLPage("Sign in", site: GatePage.site).response() }
        let path = URLComponents(string: backend.baseURL)?.path ?? ""
        let cookie = "\(GateVisits.cookieName)=\(visit.browser); Path=\(path)/gate; HttpOnly; SameSite=Lax"
        if let target = step.view.redirectURL { return .seeOther(target).with(header: "Set-Cookie", cookie) }
        var page = GatePage(
            visit, step, application: backend.application(id: visit.applicationID), action: backend.baseURL + Gate.step,
            typed: typed, warnsOfPlainAddress: visit.warnsOfPlainAddress && !staysHere(visit),
            canLeave: canLeave(visit), people: people(for: visit)
        ).page
        page.alert = problem ?? page.alert
        page.formTargets = targets(of: visit)
        return page.response().with(header: "Set-Cookie", cookie)
    }

    /// The people that the page offers in place of a password. The page of a backchannel request offers only the
    /// recipient of the request's message.
    private func people(for visit: GateVisit) -> [LocalServerReport.Person] {
        let recipient = visit.authID.flatMap(backend.backchannel.waiting(authID:))?.userID
        return backend.choosablePeople(for: request).filter { recipient == nil || $0.id == recipient }
    }

    /// The addresses to which the browser may be redirected after it sends a form of this visit: the redirect URI of the
    /// authorization request, the redirect URIs of the connections to other providers, and the target of the sign-out.
    private func targets(of visit: GateVisit) -> [String] {
        let request = request(of: visit)
        let signOut = visit.logoutID.flatMap(backend.authorizations.signOuts.value)
        return [request?.redirectURI, signOut].compactMap { $0 } + backend.upstream.redirectURIs
    }

    private func request(of visit: GateVisit) -> AuthorizationRequest? {
        visit.authID.flatMap(backend.authorizations.pending.value)
    }

    /// Whether the redirect URI is a loopback address. The response then stays on the person's machine and needs no encryption.
    private func staysHere(_ visit: GateVisit) -> Bool {
        let host = request(of: visit).flatMap { URLComponents(string: $0.redirectURI)?.host }
        return host.map(ServerURL.isLoopback) ?? false
    }

    /// The response to a completed flow: a redirect to the application, or a final page if there is no address to return
    /// to.
    private func finish(_ visit: GateVisit, _ step: FlowStep) -> LocalResponse {
        if let logoutID = visit.logoutID {
            let target = backend.authorizations.signOuts.take(logoutID) ?? ""
            guard target.isEmpty else { return .seeOther(target) }
            return HTMLPage("Signed out", site: GatePage.site, content: ["<p>You can close this page.</p>"]).response()
        }
        if let authID = visit.authID, let assertion = step.assertion {
            return .seeOther(backend.callbackAddress(authID: authID, assertion: assertion))
        }
        return GatePage(
            visit, step, application: backend.application(id: visit.applicationID), action: ""
        ).lastPage.response()
    }
}

extension LocalResponse {
    fileprivate func changing(_ change: FlowStep.SessionChange?) -> LocalResponse {
        change.map { with(header: "Set-Cookie", $0.cookie) } ?? self
    }
}
