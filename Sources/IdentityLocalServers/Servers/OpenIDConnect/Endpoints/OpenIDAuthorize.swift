import Foundation
import IdentityKit

extension OpenIDCall {
    private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    /// `GET|POST /authorize`: shows the first page of a sign-in, or redirects to the client if no page is needed (OpenID
    /// Connect Core section 3.1.2).
    func authorize() throws -> LocalResponse {
        let sent = request.method == "POST" ? request.form ?? [] : request.query
        let ids = sent.filter { $0.name == "client_id" }
        guard ids.count == 1, let client = backend.client(ids[0].value) else {
            return backend.unknownClientPage(ids.count == 1 ? ids[0].value : nil, for: request).response(status: 400)
        }
        do {
            return try begin(authorizationRequest(parameters(sent, of: client), signed: isSigned(sent), from: client))
        } catch let refusal as OpenIDRequestError {
            return try response(to: refusal)
        }
    }

    private func authorizationRequest(
        _ sent: [LocalRequest.Parameter], signed isSigned: Bool, from client: LocalOpenIDConnectServer.Client
    ) throws -> OpenIDAuthorizationRequest {
        let pushed = sent.first { $0.name == "request_uri" && $0.value.hasPrefix(Self.requestURIPrefix) }
        if let pushed {
            guard let request = backend.pushedRequests.take(pushed.value), request.client.id == client.id else {
                throw OpenIDServerError.page(status: 400, "The request was used already or is too old.")
            }
            return request
        }
        let request = try OpenIDAuthorizationRequest(
            sent, from: client, allowing: backend.configuration.scopes, behaviour)
        try checkResources(of: request)
        guard !backend.configuration.requiresPushedRequests else {
            throw OpenIDRequestError("invalid_request", "The request must be pushed first").told(at: request.callback)
        }
        guard isSigned || !backend.configuration.requiresSignedRequests else {
            throw OpenIDRequestError("invalid_request", "The request must be signed").told(at: request.callback)
        }
        return request
    }

    private func isSigned(_ sent: [LocalRequest.Parameter]) -> Bool {
        sent.contains { $0.name == "request" && !$0.value.isEmpty }
    }

    /// `POST /par`: stores an authorization request for a single use (RFC 9126). A DPoP proof binds the authorization code to
    /// the key of the proof, as the parameter `dpop_jkt` does (RFC 9449 section 10.1).
    func pushRequest() throws -> LocalResponse {
        let client = try authenticatedClient()
        let key = try provenKey()
        do {
            let sent = request.form ?? []
            guard isSigned(sent) || !backend.configuration.requiresSignedRequests else {
                throw OpenIDRequestError("invalid_request", "The request must be signed")
            }
            var parameters = try parameters(sent, of: client)
            if let key, !parameters.contains(where: { $0.name == "dpop_jkt" && !$0.value.isEmpty }) {
                parameters.append(LocalRequest.Parameter(name: "dpop_jkt", value: key))
            }
            let request = try OpenIDAuthorizationRequest(
                parameters, from: client, allowing: backend.configuration.scopes, behaviour)
            guard key == nil || request.keyThumbprint == key else {
                throw OpenIDServerError.oauth("invalid_dpop_proof", "The proof is of another key than dpop_jkt names")
            }
            try checkResources(of: request)
            let uri = Self.requestURIPrefix + LocalIdentifiers.base64URL(byteCount: 24)
            backend.pushedRequests.insert(request, for: uri)
            let lifetime = backend.configuration.pushedRequestLifetime
            return .json(
                ["request_uri": .string(uri), "expires_in": .integer(Int64(lifetime.timeInterval))], status: 201,
                headers: [("Cache-Control", "no-store")])
        } catch let refusal as OpenIDRequestError {
            throw OpenIDServerError.oauth(refusal.error, refusal.description)
        } catch OpenIDServerError.page(_, let text) {
            throw OpenIDServerError.oauth("invalid_request", text)
        }
    }

    /// `POST /login`: handles the form of the sign-in page.
    func logIn() throws -> LocalResponse {
        try handleForm { interaction, key in
            guard field("action") != "cancel" else {
                let refusal = OpenIDRequestError("access_denied", "The person did not sign in")
                return (try response(to: refusal.told(at: interaction.request.callback)), isAnswered: true)
            }
            guard let user = personOfForm() else {
                let page = loginPage(
                    interaction, key: key, username: field("username") ?? "", problem: OpenIDPage.wrongCredentials)
                return (page, isAnswered: false)
            }
            let (session, cookie) = backend.sessions.begin(userID: user.id)
            return (try proceed(interaction, as: session).with(header: "Set-Cookie", cookie), isAnswered: true)
        }
    }

    /// Returns the user whose button the person pressed, or else the user with the name and password in the form; `nil`
    /// for wrong credentials and for a disabled user. Counts the sign-in.
    func personOfForm() -> LocalOpenIDConnectServer.User? {
        request.chosenPerson.flatMap(backend.choose)
            ?? backend.authenticate(username: field("username") ?? "", password: field("password") ?? "")
    }

    /// `POST /consent`: handles the form of the consent page, which has a field `scope` for each ticked box. The box of
    /// `openid` is disabled, so browsers do not send it, but a requested `openid` is granted.
    func consent() throws -> LocalResponse {
        try handleForm { interaction, _ in
            let request = interaction.request
            guard let session = interaction.session else {
                throw OpenIDServerError.page(status: 400, "You are not signed in.")
            }
            guard field("decision") == "allow" else {
                let refusal = OpenIDRequestError("access_denied", "The person refused").told(at: request.callback)
                return (try response(to: refusal), isAnswered: true)
            }
            let ticked = Set((self.request.form ?? []).filter { $0.name == "scope" }.map(\.value))
            let scopes = request.scopes.filter { $0 == "openid" || ticked.contains($0) }
            return (finish(request, session, scopes), isAnswered: true)
        }
    }
}
