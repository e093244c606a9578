#if Tools
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
/// (RFC 6750 section 3.1).
struct ThunderIDDemoResource: ThunderIDEndpoint {
    func respond(to call: ThunderIDCall) throws -> LocalResponse {
        guard let token = try call.presentedToken(), token.isAccessToken,
            call.backend.time.now.timeIntervalSince1970 < TimeInterval(token.expiresAt)
        else {
            throw ThunderIDFailure.oauth(
                status: 401, error: "invalid_token", description: "The access token is missing, expired or revoked",
                challenge: #"Bearer error="invalid_token""#)
        }
        let name = call.backend.users.user(id: token.subject)?.username ?? token.subject
        return .json(["message": .string("Hello, \(name)."), "subject": .string(token.subject)])
    }
}
#endif
