import Foundation
import IdentityKit

/// `GET /health/liveness`: the process runs.
struct Liveness: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) -> LocalResponse { LocalResponse(status: 200) }
}

/// `GET /health/readiness`: everything it needs is there.
struct Readiness: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) -> LocalResponse {
        .json(["status": "UP", "serviceStatus": []])
    }
}

/// `GET /api/resource`: an API beside the server that wants an access token and, unlike the server, gives no leeway
/// (RFC 6750 section 3.1). A bound token has to come with a proof of its key, and with a nonce where the API asks for one
/// (RFC 9449 sections 7 and 9).
struct ThunderIDDemoResource: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        var response: LocalResponse
        do {
            response = try greeting(call)
        } catch let failure as ThunderIDFailure {
            response = failure.response
        }
        if call.request.header("DPoP") != nil, call.backend.configuration.resourceRequiresNonces {
            response.headers.append(("DPoP-Nonce", call.backend.resourceNonces.currentNonce()))
        }
        return response
    }

    private func greeting(_ call: ThunderIDCall) throws -> LocalResponse {
        let backend = call.backend
        let proven = call.credentials("DPoP")
        guard let text = proven ?? call.credentials("Bearer"), let token = backend.tokens.good(text),
            token.isAccessToken, backend.time.now.timeIntervalSince1970 < TimeInterval(token.expiresAt)
        else { throw refusal("Bearer", "The access token is missing, expired or revoked") }
        let nonces = backend.configuration.resourceRequiresNonces ? backend.resourceNonces : nil
        let key = try proven.flatMap { try call.provenKey(accessToken: $0, nonces: nonces) }
        guard token["cnf"]?["jkt"]?.stringValue == key, (proven == nil) == (key == nil) else {
            throw refusal("DPoP", "The access token and the proof do not belong together")
        }
        let name = backend.users.user(id: token.subject)?.username ?? token.subject
        return .json(["message": .string("Hello, \(name)."), "subject": .string(token.subject)])
    }

    private func refusal(_ scheme: String, _ description: String) -> ThunderIDFailure {
        .oauth(
            status: 401, error: "invalid_token", description: description,
            challenge: "\(scheme) error=\"invalid_token\"")
    }
}
