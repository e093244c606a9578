/// What an error response to a refresh says about the session (contract 1.6). Only the server's own response ends it.
///
/// | Response | Verdict |
/// |---|---|
/// | anything that is not the server's JSON, such as a proxy's page; 407, 408, 425, 429; 5xx | nothing is known |
/// | an error of the database (`DATABASE_…`, `FORBIDDEN` for 42501), with any status | nothing is known |
/// | 401 for an invalid, expired or foreign token; 401 or 404 for a user who no longer exists | over |
/// | 401 or 403 of a server that did not get the token, or took the client for a browser; 400 `INVALID_INPUT`; 404 for the path | the client or the server is not set up right |
/// | any other error response | perhaps over |
enum RefreshVerdict: Sendable, Equatable {
    /// The token is not valid any more.
    case over
    /// The token may not be valid. The same response after a while confirms it.
    case perhapsOver
    /// The request was refused, not the token.
    case misconfigured
    /// The response says nothing about the token.
    case unknown

    init(status: Int, _ response: InsForgeErrorResponse?) {
        guard let response, status < 500, ![407, 408, 425, 429].contains(status), !response.isOfDatabase else {
            self = .unknown
            return
        }
        self =
            switch (status, response.error, response.message) {
            case (_, "AUTH_TOKEN_EXPIRED", _), (_, "AUTH_USER_NOT_FOUND", _), (401, _, "User not found"),
                (404, _, "User not found"), (401, _, "Invalid or expired refresh token"),
                (401, _, "Invalid refresh token type"), (401, _, "Invalid refresh session type"):
                .over
            case (401, _, "No refresh token provided"), (403, _, "Invalid CSRF token"), (400, "INVALID_INPUT", _),
                (404, _, _):
                .misconfigured
            default: .perhapsOver
            }
    }
}

extension InsForgeAuthError {
    /// Status and code, which tell one refusal from another; `nil` where the error's own code does.
    var kindOfRefusal: String? {
        if case .server(let status, let code, _) = self { "\(status) \(code)" } else { nil }
    }
}
