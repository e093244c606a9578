import IdentityKit

extension OpenIDCall {
    /// The name of both buttons on the sign-out page, and the value of the button `Sign out`.
    static let signOutAnswer = (name: "sign_out", yes: "yes")

    /// `GET|POST /end-session`: ends the browser's session and all sessions of the user in `id_token_hint`, but revokes no
    /// tokens (OpenID Connect RP-Initiated Logout 1.0 section 2).
    ///
    /// Any web page can send a browser to this endpoint. The server therefore asks a person with a session for confirmation,
    /// unless `id_token_hint` is an ID token of the session's user. A `logout_hint` is not enough, because others can know a
    /// person's name.
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

    /// Returns the user and the client in `id_token_hint`, even if the ID token has expired (RP-Initiated Logout section 4);
    /// `nil` without this parameter.
    /// - Throws: ``OpenIDServerError`` if no present key of this server signed the token, or the token lacks `sub` or `aud`.
    private func hint() throws -> (userID: String, clientID: String)? {
        guard let text = parameter("id_token_hint") else { return nil }
        guard let claims = backend.ownIDToken(text), let userID = claims["sub"]?.stringValue,
            let clientID = claims["aud"]?.stringValue ?? claims["aud"]?.arrayValue?.first?.stringValue
        else { throw signOutRefusal("id_token_hint") }
        return (userID, clientID)
    }

    /// Returns the address that the server redirects the browser to after the sign-out: `post_logout_redirect_uri`,
    /// with `state` if there is one (RP-Initiated Logout section 3). `nil` without `post_logout_redirect_uri`.
    /// - Throws: ``OpenIDServerError`` if the client is unknown or has not registered the address.
    private func target(forClient clientID: String?) throws -> String? {
        guard let address = parameter("post_logout_redirect_uri") else { return nil }
        guard let client = clientID.flatMap(backend.client) else { throw signOutRefusal("post_logout_redirect_uri") }
        // The server ignores `post_logout_redirect_uris` in a registration, so a client that registered itself has the
        // default addresses of `Client`. A client outside the configuration may use any loopback port.
        let isConfigured = backend.configuration.clients.contains { $0.id == client.id }
        let addresses = RedirectRegistration(
            client.postLogoutRedirectURIs, anyPort: client.takesAnyLoopbackPort || !isConfigured)
        guard addresses.contains(address) else { throw signOutRefusal("post_logout_redirect_uri") }
        return parameter("state").map { address.appendingQuery(LocalRequest.encodeForm([("state", $0)])) } ?? address
    }

    private func signOutRefusal(_ name: String) -> OpenIDServerError {
        .page(status: 400, "The application sent a wrong sign-out request: \(name).")
    }
}
