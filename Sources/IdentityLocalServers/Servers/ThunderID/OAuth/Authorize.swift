import Foundation
import IdentityKit

extension ThunderIDCall {
    private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    func authorize() throws -> LocalResponse {
        let names = request.query.map(\.name).filter { $0 != "resource" }
        guard Set(names).count == names.count else {
            throw ThunderIDServerError.oauth("invalid_request", "Invalid authorization request")
        }
        do {
            let request = try authorizationRequest()
            return .found(signInPage(for: request), after: self.request.method)
        } catch let failure as AuthorizationRequestError {
            var address = failure.address(backend)
            // Add `client_id`, so that the error page tells a person that the client is unknown. A program gets the
            // address without it, as from the real server.
            if request.wantsPage, let id = request.queryValue("client_id"), backend.application(clientID: id) == nil {
                address = address.appendingQuery(LocalRequest.encodeForm([("client_id", id)]))
            }
            return .found(address, after: self.request.method)
        }
    }

    private func authorizationRequest() throws -> AuthorizationRequest {
        // A parameter without a value counts as absent (RFC 6749 section 3.1).
        let sent = request.query.filter { !$0.value.isEmpty }.map { ($0.name, $0.value) }
        let parameters = Dictionary(sent) { first, _ in first }
        guard let clientID = parameters["client_id"] else {
            throw AuthorizationRequestError("invalid_request", "Missing client_id parameter")
        }
        guard let application = backend.application(clientID: clientID) else {
            throw AuthorizationRequestError("invalid_request", "Invalid client_id")
        }
        guard let requestURI = parameters["request_uri"] else {
            let request = try AuthorizationRequest(parameters, from: application, at: backend.configuration)
            guard !application.requiresPushedRequests, !backend.configuration.requiresPushedRequests else {
                throw AuthorizationRequestError("invalid_request", "The authorization request must be pushed")
                    .told(to: request)
            }
            guard self.request.query.filter({ $0.name == "resource" }).count <= 1 else {
                throw AuthorizationRequestError("invalid_target", "Only one resource may be named").told(to: request)
            }
            return request
        }
        return try pushedRequest(requestURI, of: clientID)
    }

    private func pushedRequest(_ requestURI: String, of clientID: String) throws -> AuthorizationRequest {
        let key = requestURI.replacingOccurrences(of: Self.requestURIPrefix, with: "")
        guard let request = backend.authorizations.pushed.take(key), request.application.clientID == clientID else {
            throw AuthorizationRequestError("invalid_request", "Invalid, expired, or already used request_uri")
        }
        return request
    }

    private func signInPage(for request: AuthorizationRequest) -> String {
        let authID = LocalIdentifiers.uuid7(at: backend.time.now)
        backend.authorizations.pending.insert(request, for: authID)
        let executionID = backend.flows.prepare(
            .authentication, for: request.application, demands: request.demands(authID: authID))
        return backend.gate(
            "signin",
            [
                "authId": authID, "applicationId": request.application.id, "executionId": executionID,
                "ui_locales": request.uiLocales,
                // The page warns if the client's redirect URI is unencrypted, unless it is a loopback address.
                "showInsecureWarning": request.redirectURI.hasPrefix("http:") ? "true" : nil,
            ])
    }

    /// `POST /oauth2/par`: stores a pushed authorization request (RFC 9126).
    func pushRequest() throws -> LocalResponse {
        let application = try authenticatedClient()
        let sent = (request.form ?? []).filter { !$0.value.isEmpty }.map { ($0.name, $0.value) }
        var parameters = Dictionary(sent) { first, _ in first }
        guard parameters["request_uri"] == nil else {
            throw ThunderIDServerError.oauth("invalid_request", "A pushed request cannot name another")
        }
        // A DPoP proof with a pushed request binds the authorization code like `dpop_jkt` (RFC 9449 section 10.1).
        let thumbprint = try provenKey()
        parameters["dpop_jkt"] = parameters["dpop_jkt"] ?? thumbprint
        do {
            let request = try AuthorizationRequest(parameters, from: application, at: backend.configuration)
            guard thumbprint == nil || request.keyThumbprint == thumbprint else {
                throw ThunderIDServerError.oauth(
                    "invalid_dpop_proof", "dpop_jkt parameter does not match DPoP proof thumbprint")
            }
            let key = LocalIdentifiers.base64URL(byteCount: 32)
            backend.authorizations.pushed.insert(request, for: key)
            return .json(
                [
                    "request_uri": .string(Self.requestURIPrefix + key),
                    "expires_in": .integer(AuthorizationStore.pushedLifetime),
                ], status: 201)
        } catch let failure as AuthorizationRequestError {
            throw ThunderIDServerError.oauth(failure.error, failure.description)
        }
    }
}
