import Foundation
import IdentityKit

enum OpenIDServerError: Error {
    case oauth(status: Int, error: String, description: String, headers: [(name: String, value: String)] = [])
    /// An HTML page that shows the error to the person, if the server cannot return the error to a client. Requests with an
    /// unknown path or method also get such a page.
    case page(status: Int, String)
    /// A response with only a status, with which some servers refuse an invalid refresh token.
    case empty(status: Int)
    /// A refusal with the header `WWW-Authenticate`, for a missing, invalid or insufficient token (RFC 6750 section 3, RFC 9449
    /// section 7.1).
    case challenge(
        status: Int, scheme: String, error: String?, description: String,
        parameters: [(name: String, value: String)] = [])

    /// Returns an error with the status 400, which most errors of the token endpoint have (RFC 6749 section 5.2).
    static func oauth(_ error: String, _ description: String) -> OpenIDServerError {
        .oauth(status: 400, error: error, description: description)
    }

    static let serverError = OpenIDServerError.oauth(
        status: 500, error: "server_error", description: "The request could not be completed")
    static let clientAuthenticationRequired = OpenIDServerError.oauth(
        status: 401, error: "invalid_client", description: "Client authentication is required")
    static let notFound = OpenIDServerError.page(status: 404, "There is nothing here.")
    static let methodNotAllowed = OpenIDServerError.page(status: 405, "This address needs another method.")

    func response(_ behaviour: OpenIDBehaviour) -> LocalResponse {
        switch self {
        case .page(let status, let text):
            return OpenIDPage.failure(status == 404 ? "Not found" : "This did not work", text).response(status: status)
        case .empty(let status):
            return LocalResponse(status: status)
        case .oauth(let status, let error, let description, let headers):
            return Self.body(error, description, status, behaviour, headers + [("Cache-Control", "no-store")])
        case .challenge(let status, let scheme, let error, let description, let more):
            var parameters = more.map { "\($0.name)=\"\($0.value)\"" }
            if let error {
                parameters = ["error=\"\(error)\"", "error_description=\"\(description)\""] + parameters
            }
            let scheme = behaviour.has(.challengeWithoutScheme) ? nil : scheme
            let parameterText = parameters.joined(separator: ", ")
            let challenge = [scheme, parameterText].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
            let headers = [(name: "WWW-Authenticate", value: challenge)]
            guard let error else { return LocalResponse(status: status, headers: headers) }
            return Self.body(error, description, status, behaviour, headers)
        }
    }

    private static func body(
        _ error: String, _ description: String, _ status: Int, _ behaviour: OpenIDBehaviour,
        _ headers: [(name: String, value: String)]
    ) -> LocalResponse {
        if behaviour.has(.emptyErrorBody) { return LocalResponse(status: status, headers: headers) }
        if behaviour.has(.htmlErrors) {
            var page = OpenIDPage.failure("This did not work", "Something went wrong.").response(status: status)
            page.headers += headers
            return page
        }
        var members: [String: JSONValue] = ["error": .string(error)]
        if !behaviour.has(.errorWithoutDescription) { members["error_description"] = .string(description) }
        return .json(.object(members), status: status, headers: headers)
    }
}
