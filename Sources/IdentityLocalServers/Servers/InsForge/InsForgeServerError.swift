import Foundation
import IdentityKit

/// An InsForge error response: status, error code, text, and sometimes a hint (Backends/InsForge.md#errors).
struct InsForgeServerError: Error, Equatable {
    let status: Int
    let code: String
    let message: String
    var nextActions: String?
    /// The `Set-Cookie` value that deletes the refresh token's cookie; `nil` to leave the cookie.
    var setCookie: String?

    init(_ status: Int, _ code: String, _ message: String, nextActions: String? = nil) {
        (self.status, self.code, self.message, self.nextActions) = (status, code, message, nextActions)
    }

    /// The error as servers before May 2026 sent it: with the code `ALREADY_EXISTS` if an address is taken, and `NOT_FOUND`
    /// if a user is unknown. Other errors are unchanged.
    var withGeneralCode: InsForgeServerError {
        let codes = ["AUTH_EMAIL_EXISTS": "ALREADY_EXISTS", "AUTH_USER_NOT_FOUND": "NOT_FOUND"]
        guard let code = codes[code] else { return self }
        return InsForgeServerError(status, code, message, nextActions: nextActions)
    }

    var response: LocalResponse {
        var members: [String: JSONValue] = [
            "error": .string(code), "message": .string(message), "statusCode": .integer(Int64(status)),
        ]
        if let nextActions { members["nextActions"] = .string(nextActions) }
        let response = LocalResponse.insForge(.object(members), status: status)
        return setCookie.map { response.with(header: "Set-Cookie", $0) } ?? response
    }
}

extension InsForgeServerError {
    static func invalidInput(_ message: String, nextActions: String? = nil) -> InsForgeServerError {
        InsForgeServerError(400, "INVALID_INPUT", message, nextActions: nextActions)
    }

    static func unauthorized(_ message: String) -> InsForgeServerError {
        InsForgeServerError(401, "AUTH_UNAUTHORIZED", message)
    }

    static func invalidCredentials(_ message: String, nextActions: String? = nil) -> InsForgeServerError {
        InsForgeServerError(401, "AUTH_INVALID_CREDENTIALS", message, nextActions: nextActions)
    }

    static func internalError(_ message: String) -> InsForgeServerError {
        InsForgeServerError(500, "INTERNAL_ERROR", message)
    }

    static func redirectNotAllowed(_ target: String) -> InsForgeServerError {
        .invalidInput(
            "\(target) is not in the allowed redirect URLs",
            nextActions: "Please add this URL to the allowed redirect URLs in the authentication configuration.")
    }

    static let noToken = InsForgeServerError.invalidCredentials(
        "No token provided", nextActions: InsForgeHint.checkToken)
    static let invalidToken = InsForgeServerError.unauthorized("Invalid token")
    static let invalidCSRFToken = InsForgeServerError(403, "FORBIDDEN", "Invalid CSRF token")
    static let signupDisabled = InsForgeServerError(
        403, "AUTH_SIGNUP_DISABLED", "User signups are disabled for this project.")
    static let userNotFound = InsForgeServerError(404, "AUTH_USER_NOT_FOUND", "User not found")
    static let invalidCode = InsForgeServerError.invalidInput("Invalid or expired verification code")
    static let invalidLinkToken = InsForgeServerError.invalidInput("Invalid or expired verification token")
}

enum InsForgeHint {
    static let checkToken = "Check the token is valid or login to get a new token."
    static let checkAdminToken = "Check the admin token is valid or login as admin to get a new token."
    static let checkAPIKey = "Check the API key is valid or generate a new API key."
    static let validJSON = "Please ensure your request body contains valid JSON"
}

extension LocalResponse {
    /// A JSON response with the media type that Express writes.
    static func insForge(_ value: JSONValue, status: Int = 200) -> LocalResponse {
        .json(value, status: status, contentType: "application/json; charset=utf-8")
    }

    /// Returns a redirect with the body that Express writes. No cache may store the response, because the address may
    /// contain a code.
    static func insForgeRedirect(to location: String) -> LocalResponse {
        LocalResponse(
            status: 302,
            headers: [
                ("Location", location), ("Content-Type", "text/plain"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ],
            body: Data("Found. Redirecting to \(location)".utf8))
    }
}
