import IdentityKit

extension OpenIDCall {
    /// The name of the question's buttons, and the value of the one that signs out.
    static let signOutAnswer = (name: "sign_out", yes: "yes")

    /// `GET|POST /end-session` (OpenID Connect RP-Initiated Logout 1.0 section 2): ends the session, but revokes no tokens.
    ///
    /// Any web page can send a browser to this endpoint, so the person is asked for confirmation unless an ID token
    /// shows that the session is theirs. A `logout_hint` does not show that, because others can know a person's name.
    func endSession() throws -> LocalResponse {
        let hint = try hint()
        let named = parameter("client_id")
        guard named == nil || hint == nil || hint?.clientID == named else { throw signOutRefusal("client_id") }
        let target = try target(forClient: hint?.clientID ?? named)
        if let session = backend.sessions.session(of: request), session.userID != hint?.userID {
            switch field(Self.signOutAnswer.name) {
            case let answer? where request.isFromOwnPage:
                guard answer == Self.signOutAnswer.yes else {
                    return OpenIDPage.message("Still signed in", "You can close this page.").response()
                }
            default: return question(session, target).response()
            }
        }
        backend.sessions.end(request, userID: hint?.userID)
        backend.counters.withLock { $0.signOuts += 1 }
        guard let target else { return OpenIDPage.message("Signed out", "You can close this page.").response() }
        return .seeOther(target)
    }

    private func question(_ session: OpenIDSessions.Session, _ target: String?) -> HTMLPage {
        let names = ["id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state"]
        return OpenIDPage.signOut(
            action: backend.baseURL + OpenIDEndpoints.endSession,
            hidden: names.compactMap { name in parameter(name).map { (name, $0) } },
            user: backend.profile(ofUser: session.userID), target: target)
    }

    /// The user and client of the ID token, even if it has expired (section 4).
    private func hint() throws -> (userID: String, clientID: String)? {
        guard let text = parameter("id_token_hint") else { return nil }
        guard let claims = backend.ownIDToken(text), let userID = claims["sub"]?.stringValue,
            let clientID = claims["aud"]?.stringValue ?? claims["aud"]?.arrayValue?.first?.stringValue
        else { throw signOutRefusal("id_token_hint") }
        return (userID, clientID)
    }

    /// The address for the browser afterwards; `nil` unless the known client has registered it (section 3).
    private func target(forClient clientID: String?) throws -> String? {
        guard let address = parameter("post_logout_redirect_uri") else { return nil }
        guard let client = clientID.flatMap(backend.client),
            RedirectRegistration(client.postLogoutRedirectURIs, anyPort: client.takesAnyLoopbackPort)
                .contains(address)
        else { throw signOutRefusal("post_logout_redirect_uri") }
        return parameter("state").map { address.appendingQuery(LocalRequest.encodeForm([("state", $0)])) } ?? address
    }

    private func signOutRefusal(_ name: String) -> OpenIDServerError {
        .page(status: 400, "The application sent a wrong sign-out request: \(name).")
    }
}
