import IdentityKit

extension ThunderIDBackend {
    /// Records a person's decision about a backchannel request, as the assertion of the sign-in flow states it. A sign-in by
    /// another user than the requested one counts as a denial.
    /// - Returns: the next address for the browser; `nil` if no backchannel request with this `authID` awaits a decision.
    func confirmationAddress(authID: String, assertion text: String) -> String? {
        guard let request = backchannel.waiting(authID: authID) else { return nil }
        guard let assertion = tokens.unexpired(text), assertion.string("authorization_request_id") == authID else {
            return AuthorizationRequestError("invalid_request", "Authorization request failed").address(self)
        }
        func decide(_ decision: BackchannelRequests.Decision) {
            backchannel.decide(decision) { $0.authID == authID }
        }
        let unsigned = gate("confirmed", ["failed": "true"])
        let kind = assertion.string("flow_error_type")
        if kind == "end_user_error" || kind == nil && assertion.subject != request.userID {
            decide(.denied)
            return unsigned
        }
        if kind != nil {
            // By default, the client does not learn of a server error, and polls until the request expires.
            guard configuration.sendsServerErrorsToClient else { return unsigned }
            decide(.failed(assertion.string("flow_error_description") ?? "The flow failed"))
            return unsigned
        }
        decide(
            .granted(
                BackchannelRequest.Confirmation(
                    attributeCacheID: assertion.string("aci"),
                    authenticationTime: assertion["auth_time"]?.integerValue ?? assertion.issuedAt,
                    authenticationClass: assertion.string("completed_auth_class"))))
        return gate("confirmed", [:])
    }
}

extension ThunderIDCall {
    /// `GET /gate/confirmed`: the final page of a confirmation. ThunderID itself has no page at this address.
    func confirmedPage() throws -> LocalResponse {
        let isFailed = request.queryValue("failed") != nil
        let text: HTML = isFailed ? "The other device is not signed in." : "The other device continues."
        return HTMLPage(
            isFailed ? "Not signed in" : "Done", site: GatePage.site,
            content: ["<p>\(text) You can close this page.</p>"]
        ).response()
    }
}

extension LocalThunderIDServer {
    /// A person's reaction to a message that asks to confirm a sign-in.
    public enum Reply: Sendable, Hashable, CaseIterable {
        /// Opens the message's link and signs in with the password.
        case confirm
        /// Opens the message's link and cancels the sign-in.
        case refuse
    }

    /// Reacts to a message that asks to confirm a sign-in, as the person would on the page that the message links to.
    /// No effect for a message of another kind, and for a request that has expired or was decided before. The request
    /// is also not confirmed if the user no longer exists, or if the flow needs more than the password.
    /// - Throws: an error if the person confirms and the flow no longer exists, or if an assertion cannot be signed.
    public func answer(_ message: Message, with reply: Reply) throws {
        let backend = core.backend
        guard let request = backend.backchannel.waiting(executionID: message.executionID) else { return }
        let assertion =
            switch reply {
            case .confirm: try backend.assertion(confirming: request)
            case .refuse: try backend.flows.abandon(request.executionID)
            }
        guard let assertion else { return }
        _ = backend.callbackAddress(authID: request.authID, assertion: assertion)
    }
}

extension ThunderIDBackend {
    fileprivate func assertion(confirming request: BackchannelRequest) throws -> String? {
        guard let user = users.user(id: request.userID) else { return nil }
        let first = try flows.resume(
            request.executionID, challengeToken: nil, inputs: [:], action: nil, from: FlowCaller())
        let last = try flows.resume(
            request.executionID, challengeToken: first.challengeToken,
            inputs: ["username": user.username, "password": user.password.reveal()],
            action: first.view.actions.first?.ref, from: FlowCaller())
        return last.assertion ?? last.errorAssertion
    }
}
