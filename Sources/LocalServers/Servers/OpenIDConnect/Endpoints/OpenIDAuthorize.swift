import Foundation
import IdentityKit

/// `GET|POST /authorize` (OpenID Connect Core section 3.1.2)
struct OpenIDAuthorize: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        let sent = call.request.method == "POST" ? call.request.form ?? [] : call.request.query
        let ids = sent.filter { $0.name == "client_id" }
        guard ids.count == 1, let client = call.backend.client(ids[0].value) else {
            throw OpenIDFailure.page(status: 400, "No application with this name is registered.")
        }
        do {
            return try call.begin(request(sent, from: client, call))
        } catch let refusal as OpenIDRefusal {
            return try refusal.response(call)
        }
    }

    private func request(
        _ sent: [LocalRequest.Parameter], from client: LocalOpenIDConnectServer.Client, _ call: OpenIDCall
    ) throws -> OpenIDAuthorizationRequest {
        let pushed = sent.first { $0.name == "request_uri" && $0.value.hasPrefix(OpenIDPushRequest.prefix) }
        if let pushed {
            guard let request = call.backend.pushedRequests.take(pushed.value), request.client.id == client.id else {
                throw OpenIDFailure.page(status: 400, "The request was used already or is too old.")
            }
            return request
        }
        let request = try OpenIDAuthorizationRequest(
            sent, from: client, allowing: call.backend.configuration.scopes)
        guard !call.backend.configuration.requiresPushedRequests else {
            throw OpenIDRefusal("invalid_request", "The request must be pushed first").told(at: request.callback)
        }
        return request
    }
}

/// `POST /par` (RFC 9126)
struct OpenIDPushRequest: OpenIDEndpoint {
    static let prefix = "urn:ietf:params:oauth:request_uri:"

    func respond(to call: OpenIDCall) throws -> LocalResponse {
        let client = try call.authenticatedClient()
        do {
            let request = try OpenIDAuthorizationRequest(
                call.request.form ?? [], from: client, allowing: call.backend.configuration.scopes)
            let uri = Self.prefix + LocalIdentifiers.base64URL(byteCount: 24)
            call.backend.pushedRequests.insert(request, for: uri)
            let lifetime = call.backend.configuration.pushedRequestLifetime
            return .json(
                ["request_uri": .string(uri), "expires_in": .integer(Int64(lifetime.timeInterval))], status: 201,
                headers: [("Cache-Control", "no-store")])
        } catch let refusal as OpenIDRefusal {
            throw OpenIDFailure.oauth(refusal.error, refusal.description)
        } catch OpenIDFailure.page(_, let text) {
            throw OpenIDFailure.oauth("invalid_request", text)
        }
    }
}

/// `POST /login`: the sign-in page's form.
struct OpenIDLogin: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        try call.answerForm { interaction, key in
            guard call.field("action") != "cancel" else {
                let refusal = interaction.request.callback.refusal(
                    error: "access_denied", description: "The person did not sign in", call)
                return (refusal, isAnswered: true)
            }
            let username = call.field("username") ?? ""
            guard let user = call.backend.authenticate(username: username, password: call.field("password") ?? "")
            else {
                let page = call.loginPage(
                    interaction, key: key, username: username, problem: OpenIDPage.wrongCredentials)
                return (page, isAnswered: false)
            }
            let (session, cookie) = call.backend.sessions.begin(userID: user.id)
            return (try call.proceed(interaction, as: session).with(header: "Set-Cookie", cookie), isAnswered: true)
        }
    }
}

/// `POST /consent`: the consent page's form. `scope` is repeated for each scope that stayed ticked.
struct OpenIDConsent: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        try call.answerForm { interaction, _ in
            let request = interaction.request
            guard let session = interaction.session else {
                throw OpenIDFailure.page(status: 400, "Nobody is signed in.")
            }
            guard call.field("decision") == "allow" else {
                let refusal = request.callback.refusal(
                    error: "access_denied", description: "The person refused", call)
                return (refusal, isAnswered: true)
            }
            let ticked = Set((call.request.form ?? []).filter { $0.name == "scope" }.map(\.value))
            let scopes = request.scopes.filter { $0 == "openid" || ticked.contains($0) }
            return (call.finish(request, session, scopes), isAnswered: true)
        }
    }
}
