import Foundation
import IdentityKit

extension ThunderIDCall {
    /// `GET /health/liveness` and `GET /health`: respond with an empty body as long as the process runs.
    func liveness() throws -> LocalResponse { LocalResponse(status: 200) }

    /// `GET /health/readiness`: reports that the server's databases work. A local server has none, so the report is constant.
    func readiness() throws -> LocalResponse {
        .json([
            "status": "UP",
            "serviceStatus": .array(
                ["ConfigDB", "RuntimeTransientDB", "EntityDB"].map { ["serviceName": .string($0), "status": "UP"] }),
        ])
    }

    /// `GET /api/resource`: a stand-in for an API that requires an access token (RFC 6750 section 3.1). Unlike the server's
    /// own endpoints, the API refuses a token as soon as it has expired, without leeway. A bound token needs a proof of its
    /// key (RFC 9449 section 7), with a nonce if the configuration requires nonces (RFC 9449 section 9).
    func demoResource() throws -> LocalResponse {
        var response: LocalResponse
        do {
            response = try greeting()
        } catch let failure as ThunderIDServerError {
            response = failure.response
        }
        if request.header("DPoP") != nil, backend.configuration.resourceRequiresNonces {
            response.headers.append(("DPoP-Nonce", backend.dpop.currentNonce()))
        }
        return response
    }

    private func greeting() throws -> LocalResponse {
        let proven = request.credentials("DPoP")
        guard let text = proven ?? request.credentials("Bearer"), let token = backend.tokens.good(text),
            token.isAccessToken, backend.time.now.timeIntervalSince1970 < TimeInterval(token.expiresAt)
        else { throw resourceRefusal("Bearer", "The access token is missing, expired or revoked") }
        let needsNonce = backend.configuration.resourceRequiresNonces
        let key = try proven.flatMap { try provenKey(accessToken: $0, needsNonce: needsNonce) }
        guard token["cnf"]?["jkt"]?.stringValue == key, (proven == nil) == (key == nil) else {
            throw resourceRefusal("DPoP", "The access token and the proof do not belong together")
        }
        let name = backend.users.user(id: token.subject)?.username ?? token.subject
        return .json(["message": .string("Hello, \(name)."), "subject": .string(token.subject)])
    }

    private func resourceRefusal(_ scheme: String, _ description: String) -> ThunderIDServerError {
        .oauth(
            status: 401, error: "invalid_token", description: description,
            challenge: "\(scheme) error=\"invalid_token\"")
    }
}
