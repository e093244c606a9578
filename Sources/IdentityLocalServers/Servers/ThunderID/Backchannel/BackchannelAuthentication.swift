import Foundation
import IdentityKit

extension ThunderIDCall {
    /// The number of seconds after its expiry during which an ID token may be a hint: 30 days, as by default in ThunderID.
    private static let ageOfHints: Int64 = 30 * 86_400

    /// `POST /oauth2/bc-authorize` (OpenID Connect CIBA Core section 7): sends the user a message that asks to confirm the
    /// sign-in, and returns the `auth_req_id` for polling.
    func authorizeInBackchannel() throws -> LocalResponse {
        let application = try authenticatedClient()
        guard application.grantTypes.contains(.backchannel) else { throw Self.unauthorizedGrant }
        let user = try hintedUser(for: application)
        let scopes = (request.formValue("scope") ?? "").split(separator: " ").map(String.init)
        guard scopes.contains("openid") else {
            throw ThunderIDServerError.oauth("invalid_scope", "The scope must have openid")
        }
        let resource = request.formValue("resource").nonEmpty
        guard resource == nil || backend.configuration.resourceServers.contains(where: { $0.identifier == resource })
        else { throw ThunderIDServerError.oauth("invalid_target", "The resource is unknown") }
        let lifetime = try lifetime()
        let now = backend.time.now
        let (id, authID) = (LocalIdentifiers.uuid7(at: now), LocalIdentifiers.uuid7(at: now))
        let executionID = backend.flows.prepare(
            .authentication, for: application,
            demands: FlowDemands(authorizationRequestID: authID, asksConsentAgain: true))
        backend.backchannel.add(
            BackchannelRequest(
                clientID: application.clientID, userID: user.id, scopes: scopes, resource: resource, authID: authID,
                executionID: executionID), id: id, lifetime: lifetime)
        send(to: user, authID: authID, executionID: executionID, of: application)
        return .uncachedJSON([
            "auth_req_id": .string(id), "expires_in": .integer(Int64(lifetime)),
            "interval": .integer(Int64(BackchannelRequest.interval.timeInterval)),
        ])
    }

    /// Returns the active user that the request's `login_hint` or `id_token_hint` identifies.
    /// - Throws: `invalid_request` unless the request has exactly one hint, which is a `login_hint`, or in `id_token_hint` an
    ///   ID token that the server issued to `application`, and that expired at most 30 days ago (OpenID Connect CIBA Core
    ///   section 7.1). Throws `unknown_user_id` if the hint identifies no user or an inactive one.
    private func hintedUser(for application: LocalThunderIDServer.Application) throws -> ThunderIDUser {
        let hints = ["login_hint", "id_token_hint", "login_hint_token"].compactMap { name in
            request.formValue(name).flatMap { $0.isEmpty ? nil : (name, $0) }
        }
        guard hints.count == 1, let (name, hint) = hints.first, name != "login_hint_token" else {
            throw ThunderIDServerError.oauth(
                "invalid_request", "Exactly one of login_hint and id_token_hint is required")
        }
        let user: ThunderIDUser?
        if name == "login_hint" {
            user = backend.users.all.first { $0.username == hint || $0.attributes["email"]?.stringValue == hint }
        } else {
            let oldest = Int64(backend.time.now.timeIntervalSince1970) - Self.ageOfHints
            guard let token = backend.tokens.verified(hint), token.isIDToken, token.clientID == application.clientID,
                token.expiresAt >= oldest
            else {
                throw ThunderIDServerError.oauth("invalid_request", "Invalid id_token_hint")
            }
            user = backend.users.user(id: token.subject)
        }
        guard let user, user.isActive else {
            throw ThunderIDServerError.oauth("unknown_user_id", "The hint names no user")
        }
        return user
    }

    private func lifetime() throws -> TimeInterval {
        guard let sent = request.formValue("requested_expiry"), !sent.isEmpty else {
            return BackchannelRequest.lifetime.timeInterval
        }
        guard let seconds = TimeInterval(sent), (1...3600).contains(seconds) else {
            throw ThunderIDServerError.oauth("invalid_request", "Invalid requested_expiry")
        }
        return seconds.rounded(.down)
    }

    private func send(
        to user: ThunderIDUser, authID: String, executionID: String, of application: LocalThunderIDServer.Application
    ) {
        let sent = request.formValue("binding_message") ?? ""
        let message = sent.isEmpty ? LocalIdentifiers.hex(byteCount: 3) : sent
        let link = ThunderIDRedirect.address(
            backend.configuration.linkBaseURL ?? backend.baseURL + Gate.signIn,
            ["authId": authID, "applicationId": application.id, "executionId": executionID])
        backend.outbox.send(
            LocalThunderIDServer.Message(
                purpose: .signInRequest, channel: .email,
                recipient: user.attributes["email"]?.stringValue ?? user.username, executionID: executionID,
                secret: Secret(message), link: URL(string: link)))
    }

    /// Handles a poll with the grant type `urn:openid:params:grant-type:ciba` (OpenID Connect CIBA Core section 10.1).
    func backchannelGrant(of application: LocalThunderIDServer.Application, key: String?) throws -> TokenMembers {
        let id = try required("auth_req_id", "auth_req_id is required")
        switch backend.backchannel.ask(id, clientID: application.clientID) {
        case .unknown: throw ThunderIDServerError.oauth("invalid_grant", "Invalid auth_req_id")
        case .expired: throw ThunderIDServerError.oauth("expired_token", "The auth_req_id has expired")
        case .pending: throw ThunderIDServerError.oauth("authorization_pending", "The user has not decided yet")
        case .slowDown: throw ThunderIDServerError.oauth("slow_down", "The client polls too often")
        case .denied: throw ThunderIDServerError.oauth("access_denied", "The user denied the request")
        case .failed(let reason): throw ThunderIDServerError.oauth("server_error", reason)
        case .granted(let request, let confirmation):
            return try tokens(of: request, confirmation, for: application, key)
        }
    }

    private func tokens(
        of asked: BackchannelRequest, _ confirmation: BackchannelRequest.Confirmation,
        for application: LocalThunderIDServer.Application, _ key: String?
    ) throws -> TokenMembers {
        let resource = request.formValue("resource").nonEmpty
        guard resource == nil || resource == asked.resource else {
            throw ThunderIDServerError.oauth("invalid_target", "The request was for another resource")
        }
        let familyID = LocalIdentifiers.uuid7(at: backend.time.now)
        let grant = TokenGrant(
            application: application, userID: asked.userID, scopes: asked.scopes, grantType: .backchannel,
            attributes: backend.tokens.cachedAttributes(confirmation.attributeCacheID),
            attributeCacheID: confirmation.attributeCacheID, familyID: familyID, resource: asked.resource,
            keyThumbprint: key)
        return try signInMembers(
            grant, inFamily: familyID,
            .init(
                time: confirmation.authenticationTime, authenticationClass: confirmation.authenticationClass,
                nonce: nil))
    }
}
