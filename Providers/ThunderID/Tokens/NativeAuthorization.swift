import Foundation
import IdentityKit
import IdentityOAuth

/// An authorization request that runs without a browser, with the parameters that the sign-in page would get.
struct NativeAuthorization: Sendable {
    let authID: String
    let executionID: String
    let applicationID: String?
    /// The record against which the final response is checked.
    let pending: PendingAuthorization

    /// Addresses to which the server redirects an authorization request.
    enum Reading {
        case opened(NativeAuthorization)
        /// The server's error page, because the server does not trust the client or the redirect URI.
        case untrusted(detail: String)
    }

    /// Interprets the address to which the server redirects the request.
    /// - Throws: the error in a redirect directly back to the client.
    static func reading(_ page: URL, for request: AuthorizationRequest, at now: Date) throws -> Reading {
        let parameters = try CallbackURL(page)
        if let authID = parameters["authId"], let executionID = parameters["executionId"] {
            return .opened(
                NativeAuthorization(
                    authID: authID, executionID: executionID, applicationID: parameters["applicationId"],
                    pending: request.pending))
        }
        let isReturn = request.redirectURI.map(parameters.returns(to:)) ?? request.pending.isAnswered(by: page)
        if isReturn {
            _ = try AuthorizationResponse(callbackURL: page).authorizationCode(for: request.pending, at: now)
        }
        return .untrusted(detail: (parameters["errorMessage"] ?? "").asServerText(or: "no reason was given"))
    }
}
