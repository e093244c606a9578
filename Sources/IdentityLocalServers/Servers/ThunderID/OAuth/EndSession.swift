import Foundation
import IdentityKit

extension ThunderIDCall {
    /// `GET|POST /oauth2/logout` (OpenID Connect RP-Initiated Logout): redirects to the page that runs the sign-out
    /// flow. No tokens are revoked.
    func endSession() throws -> LocalResponse {
        guard let clientID = try clientID(), let application = backend.application(clientID: clientID) else {
            throw ThunderIDServerError.text(status: 400, "id_token_hint or client_id is required\n")
        }
        let target = value("post_logout_redirect_uri")
        guard target == nil || application.postLogoutRedirectURIs.contains(target ?? "") else {
            throw ThunderIDServerError.text(status: 400, "invalid post_logout_redirect_uri\n")
        }
        let logoutID = LocalIdentifiers.uuid7(at: backend.time.now)
        let landing = target.map { ThunderIDRedirect.address($0, ["state": value("state")]) } ?? ""
        backend.authorizations.signOuts.insert(landing, for: logoutID)
        var demands = FlowDemands()
        demands.isSignOutHinted = value("id_token_hint") != nil
        let executionID = backend.flows.prepare(.signOut, for: application, demands: demands)
        return .found(
            backend.gate(
                "signout",
                ["applicationId": application.id, "executionId": executionID, "logoutId": logoutID]),
            after: request.method)
    }

    /// The identifier of the client that requests the sign-out. With an ID token hint, it is the client that the ID token
    /// was issued to, even if the token has expired. Without a hint, it is the parameter `client_id`, or `nil` if that is
    /// absent.
    private func clientID() throws -> String? {
        let named = value("client_id")
        guard let hint = value("id_token_hint") else { return named }
        guard let token = backend.tokens.verified(hint), token.isIDToken else {
            throw ThunderIDServerError.text(status: 400, "invalid id_token_hint\n")
        }
        guard named == nil || named == token.clientID else {
            throw ThunderIDServerError.text(status: 400, "client_id does not match id_token_hint\n")
        }
        return token.clientID
    }

    private func value(_ name: String) -> String? {
        let value = request.queryValue(name) ?? request.formValue(name)
        return value?.isEmpty == true ? nil : value
    }

    /// `POST /oauth2/logout/callback`: returns the next address for the browser after the sign-out flow. The address is
    /// empty for a sign-out without a redirect URI, and for an unknown `logoutId`.
    func endSessionCallback() throws -> LocalResponse {
        guard let logoutID = request.json?["logoutId"]?.stringValue, !logoutID.isEmpty else {
            throw ThunderIDServerError.text(status: 400, "invalid request\n")
        }
        return .json(["redirect_uri": .string(backend.authorizations.signOuts.take(logoutID) ?? "")])
    }

    /// `POST /oauth2/dcr/register`: refuses every registration. A real server accepts registrations of clients from
    /// administrators.
    func registerClient() throws -> LocalResponse {
        throw ThunderIDServerError.oauth(
            status: 401, error: "unauthorized_client",
            description: "Authentication with sufficient permissions is required to register a client")
    }
}
