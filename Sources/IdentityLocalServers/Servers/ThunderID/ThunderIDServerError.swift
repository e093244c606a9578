import IdentityKit

/// An error response in one of the server's three forms (Backends/ThunderID.md#errors).
enum ThunderIDServerError: Error {
    /// A JSON error of the flow endpoints, the user endpoints or the security layer.
    case api(status: Int, APIError, challenge: String? = nil)
    /// A JSON error of the OAuth endpoints (RFC 6749 section 5.2).
    case oauth(status: Int, error: String, description: String, challenge: String? = nil)
    /// A plain text, for an unknown path or method. The sign-out endpoint and the simulated identity provider under
    /// `/upstream` use it for their errors too.
    case text(status: Int, String)

    /// Returns an error of the OAuth endpoints with status 400 and without a challenge.
    static func oauth(_ error: String, _ description: String) -> ThunderIDServerError {
        .oauth(status: 400, error: error, description: description)
    }

    static let unauthorized = ThunderIDServerError.api(status: 401, .unauthorized, challenge: "Bearer")
    static let tokenRejected = ThunderIDServerError.api(
        status: 401, .unauthorized,
        challenge:
            #"Bearer error="invalid_token", error_description="The access token is invalid, expired, or malformed""#)
    static let forbidden = ThunderIDServerError.api(status: 403, .forbidden)
    static let internalError = ThunderIDServerError.api(status: 500, .internalError)
    static let pageNotFound = ThunderIDServerError.text(status: 404, "404 page not found\n")
    static let methodNotAllowed = ThunderIDServerError.text(status: 405, "Method Not Allowed\n")

    var response: LocalResponse {
        switch self {
        case .api(let status, let error, let challenge):
            Self.challenging(.json(error.json, status: status), challenge)
        case .oauth(let status, let error, let description, let challenge):
            Self.challenging(
                .json(["error": .string(error), "error_description": .string(description)], status: status),
                challenge)
        case .text(let status, let text):
            .text(text, status: status)
        }
    }

    private static func challenging(_ response: LocalResponse, _ challenge: String?) -> LocalResponse {
        challenge.map { response.with(header: "WWW-Authenticate", $0) } ?? response
    }
}

/// An error code with two texts, each with a key for its translation.
struct APIError: Sendable, Equatable {
    let code: String
    let message: String
    let messageKey: String
    let description: String
    let descriptionKey: String

    init(
        _ code: String, key: String, descriptionSuffix: String = "_description", _ message: String,
        _ description: String
    ) {
        (self.code, self.message, self.description) = (code, message, description)
        messageKey = key
        descriptionKey = key + descriptionSuffix
    }

    var json: JSONValue {
        [
            "code": .string(code),
            "message": text(message, key: messageKey),
            "description": text(description, key: descriptionKey),
        ]
    }

    private func text(_ defaultValue: String, key: String) -> JSONValue {
        ["key": .string(key), "defaultValue": .string(defaultValue)]
    }

    static let unauthorized = APIError(
        "AUTH-4010", key: "error.auth.unauthorized", "Unauthorized",
        "Authentication is required to access this resource")
    static let forbidden = APIError(
        "AUTH-4030", key: "error.auth.forbidden", "Forbidden",
        "You do not have sufficient permissions to access this resource")
    static let internalError = APIError(
        "SSE-5000", key: "error.internal_server_error", "Internal server error",
        "The request could not be completed")
}
