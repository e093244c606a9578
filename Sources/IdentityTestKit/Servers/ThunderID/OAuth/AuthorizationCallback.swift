#if Tools
import Foundation
import IdentityKit

/// `POST /oauth2/auth/callback`: the hosted page hands in the assertion and learns where the browser goes (ThunderID
/// authorization callback).
struct AuthorizationCallback: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        guard let body = call.request.json, let authID = body["authId"]?.stringValue, !authID.isEmpty,
            let assertion = body["assertion"]?.stringValue, !assertion.isEmpty
        else { throw ThunderIDFailure.oauth("invalid_request", "Invalid authorization request") }
        do {
            return address(try codeAddress(authID: authID, assertion: assertion, call.backend))
        } catch let failure as AuthorizationFailure {
            return address(failure.address(call.backend))
        }
    }

    private func address(_ address: String) -> LocalResponse {
        .json(["redirect_uri": .string(address)])
    }

    private func codeAddress(authID: String, assertion: String, _ backend: ThunderIDBackend) throws -> String {
        // Somebody without a real assertion must not use up the request.
        guard let assertion = backend.tokens.unexpired(assertion) else {
            throw AuthorizationFailure("invalid_request", "Authorization request failed")
        }
        guard let request = backend.authorizations.pending.take(authID) else {
            throw AuthorizationFailure("invalid_request", "Invalid authorization request")
        }
        guard assertion.string("authorization_request_id") == authID else {
            throw AuthorizationFailure("access_denied", "The assertion belongs to another authorization request")
                .told(to: request)
        }
        let code = backend.authorizations.codes.issue(
            for: request, userID: assertion.subject, attributeCacheID: assertion.string("aci"),
            authenticationTime: assertion.issuedAt)
        backend.counters.withLock { $0.codesIssued += 1 }
        return ThunderIDRedirect.address(
            request.redirectURI, ["code": code, "iss": backend.issuer, "state": request.state])
    }
}
#endif
