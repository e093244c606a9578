import Foundation
import IdentityKit

extension ThunderIDCall {
    /// `POST /oauth2/auth/callback`: receives the assertion from the hosted page and returns the next address for the
    /// browser (Backends/ThunderID.md#authorization-callback).
    func authorizationCallback() throws -> LocalResponse {
        guard let body = request.json, let authID = body["authId"]?.stringValue, !authID.isEmpty,
            let assertion = body["assertion"]?.stringValue, !assertion.isEmpty
        else { throw ThunderIDServerError.oauth("invalid_request", "Invalid authorization request") }
        return .json(["redirect_uri": .string(backend.callbackAddress(authID: authID, assertion: assertion))])
    }
}

extension ThunderIDBackend {
    /// The next address for a browser with an assertion: the client's redirect URI with an authorization code or an
    /// error, or the hosted error page. For a backchannel request, the address is that of the final page or of the
    /// hosted error page.
    func callbackAddress(authID: String, assertion: String) -> String {
        if let address = confirmationAddress(authID: authID, assertion: assertion) { return address }
        do {
            return try codeAddress(authID: authID, assertion: assertion)
        } catch {
            return error.address(self)
        }
    }

    private func codeAddress(authID: String, assertion: String) throws(AuthorizationRequestError) -> String {
        // Verify the assertion first, so that a forged one does not use up the authorization request.
        guard let assertion = tokens.unexpired(assertion) else {
            throw AuthorizationRequestError("invalid_request", "Authorization request failed")
        }
        guard let request = authorizations.pending.take(authID) else {
            throw AuthorizationRequestError("invalid_request", "Invalid authorization request")
        }
        guard assertion.string("authorization_request_id") == authID else {
            throw AuthorizationRequestError("access_denied", "The assertion belongs to another authorization request")
                .told(to: request)
        }
        if let kind = assertion.string("flow_error_type") { throw failure(kind, assertion, request) }
        let code = authorizations.codes.issue(
            AuthorizationCode(
                request: request, userID: assertion.subject, attributeCacheID: assertion.string("aci"),
                authenticationTime: assertion["auth_time"]?.integerValue ?? assertion.issuedAt,
                authenticationClass: assertion.string("completed_auth_class"),
                familyID: LocalIdentifiers.uuid7(at: time.now),
                expiresAt: time.now + AuthorizationStore.codeLifetime.timeInterval))
        counters.withLock { $0.codesIssued += 1 }
        return ThunderIDRedirect.address(request.redirectURI, ["code": code, "iss": issuer, "state": request.state])
    }

    /// The error for a flow that failed. If the person caused the failure, the client gets `access_denied`. A failure of
    /// the server is shown on the hosted error page, unless the configuration returns it to the client as `server_error`.
    private func failure(
        _ kind: String, _ assertion: VerifiedToken, _ request: AuthorizationRequest
    ) -> AuthorizationRequestError {
        let isPersons = kind == "end_user_error"
        let failure = AuthorizationRequestError(
            isPersons ? "access_denied" : "server_error",
            assertion.string("flow_error_description") ?? "The flow failed")
        return isPersons || configuration.sendsServerErrorsToClient ? failure.told(to: request) : failure
    }
}
