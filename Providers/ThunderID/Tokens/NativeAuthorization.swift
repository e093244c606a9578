import Foundation
import IdentityKit
import IdentityOAuth

/// An authorization without a browser: the parameters that the sign-in page would get.
struct NativeAuthorization: Sendable {
    let authID: String
    let executionID: String
    let applicationID: String?
    /// The request that the end is checked against.
    let pending: PendingAuthorization

    /// Addresses to which the server sends the browser.
    enum Reading {
        case opened(NativeAuthorization)
        /// To its error page, because it does not trust the client or the redirect URI.
        case untrusted(detail: String)
    }

    /// Reads where the server would send the browser.
    /// - Throws: what the server says when it sends the browser straight back.
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
