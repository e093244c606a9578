import Foundation
import IdentityKit

/// An authorization request for which a sign-in or consent page is shown.
struct OpenIDInteraction: Sendable {
    let request: OpenIDAuthorizationRequest
    /// The browser's session; `nil` while the sign-in page is shown.
    var session: OpenIDSessions.Session?
    /// Whether the server accepted the page's form. If the browser sends the form again, by a second click or from the
    /// history, the server starts the request again and shows only the pages that are still needed.
    var isAnswered = false
}

extension OpenIDCall {
    /// Returns the first page of a request, or the callback if no page is needed (OpenID Connect Core section 3.1.2.3).
    /// - Parameter userID: the user who has just consented to this request, if the browser sent the consent form twice;
    ///   otherwise `nil`.
    func begin(_ request: OpenIDAuthorizationRequest, consentedBy userID: String? = nil) throws -> LocalResponse {
        let interaction = OpenIDInteraction(request: request)
        if let session = backend.sessions.session(of: self.request), isEnough(session, for: request) {
            return try proceed(interaction, as: session, hasConsented: session.userID == userID)
        }
        guard !request.prompts.contains("none") else {
            throw OpenIDRequestError("login_required", "The user must sign in").told(at: request.callback)
        }
        return loginPage(interaction)
    }

    private func isEnough(_ session: OpenIDSessions.Session, for request: OpenIDAuthorizationRequest) -> Bool {
        guard request.prompts.isDisjoint(with: ["login", "select_account"]) else { return false }
        let age = backend.time.now.timeIntervalSince(session.authenticatedAt)
        return request.maxAge.map { age <= Double($0) } ?? true
    }

    /// Returns the sign-in page.
    /// - Parameter key: the key of the stored interaction, if the page is shown again; `nil` to store a new interaction.
    func loginPage(
        _ interaction: OpenIDInteraction, key: String? = nil, username: String? = nil, problem: String? = nil
    ) -> LocalResponse {
        let request = interaction.request
        return OpenIDPage.login(
            action: backend.baseURL + OpenIDEndpoints.login, key: key ?? keep(interaction), client: request.client,
            target: request.redirectURI, username: username ?? request.loginHint, problem: problem,
            people: backend.choosablePeople(for: self.request)
        ).response()
    }

    /// Returns the response after the sign-in: the consent page, or the callback if no consent is needed.
    /// - Parameter hasConsented: whether the person has already given the consent that `prompt=consent` demands.
    func proceed(
        _ interaction: OpenIDInteraction, as session: OpenIDSessions.Session, hasConsented: Bool = false
    ) throws -> LocalResponse {
        let request = interaction.request
        var interaction = interaction
        interaction.session = session
        let known = backend.sessions.consent(ofUser: session.userID, clientID: request.client.id)
        let wantsConsent = request.prompts.contains("consent") && !hasConsented
        let isAsked = wantsConsent || !known.isSuperset(of: request.scopes)
        guard isAsked, !request.client.isTrusted else { return finish(request, session, request.scopes) }
        guard !request.prompts.contains("none") else {
            throw OpenIDRequestError("consent_required", "The scopes must be agreed to").told(at: request.callback)
        }
        return OpenIDPage.consent(
            action: backend.baseURL + OpenIDEndpoints.consent, key: keep(interaction), client: request.client,
            target: request.redirectURI, user: backend.profile(ofUser: session.userID), scopes: request.scopes
        ).response()
    }

    func finish(
        _ request: OpenIDAuthorizationRequest, _ session: OpenIDSessions.Session, _ scopes: [String]
    ) -> LocalResponse {
        // Ignore `offline_access` without `prompt=consent` (OpenID Connect Core section 11), as node-oidc-provider does.
        let scopes = scopes.filter { $0 != "offline_access" || request.prompts.contains("consent") }
        let isFirst = backend.sessions.consent(ofUser: session.userID, clientID: request.client.id).isEmpty
        backend.sessions.remember(scopes, ofUser: session.userID, clientID: request.client.id)
        let grant = OpenIDGrant(
            id: LocalIdentifiers.hex(byteCount: 12), clientID: request.client.id, subject: session.userID,
            scopes: scopes, authenticatedAt: session.authenticatedAt, nonce: request.nonce,
            resources: request.resources, keyThumbprint: request.keyThumbprint)
        let now = backend.time.now
        let code = backend.codes.issue(
            OpenIDCode(
                request: request, grant: grant, expiresAt: now + backend.configuration.codeLifetime.timeInterval),
            isSpent: behaviour.has(.spentCode), forgetting: { $0.expiresAt <= now })
        backend.counters.withLock { $0.codesIssued += 1 }
        return response(to: request.callback, code: code, of: isFirst ? session.userID : nil)
    }

    private func keep(_ interaction: OpenIDInteraction) -> String {
        let key = LocalIdentifiers.base64URL(byteCount: 18)
        backend.interactions.insert(interaction, for: key)
        return key
    }

    /// Handles a submitted sign-in or consent form.
    /// - Parameter body: receives the page's interaction and the key of the interaction. The closure returns the response and
    ///   whether the form was accepted. If the page's form was accepted before, `body` is not called, and the request starts
    ///   again.
    func handleForm(
        _ body: (OpenIDInteraction, _ key: String) throws -> (LocalResponse, isAnswered: Bool)
    ) throws -> LocalResponse {
        guard request.isFromOwnPage else { return HTMLPage.foreignForm(site: OpenIDPage.site) }
        guard let key = field("request"), var interaction = backend.interactions.value(key) else {
            throw OpenIDServerError.page(
                status: 400, "This page is too old. Go back to the application and start again.")
        }
        guard !interaction.isAnswered else {
            return try begin(
                interaction.request,
                consentedBy: field("decision") == "allow" ? interaction.session?.userID : nil)
        }
        let (response, isAnswered) = try body(interaction, key)
        interaction.isAnswered = isAnswered
        backend.interactions.insert(interaction, for: key)
        return response
    }
}
