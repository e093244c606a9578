import Foundation
import IdentityKit
import IdentityOAuth

/// An authorization request that runs without a browser. The identifiers are those that the server passes to its sign-in
/// page.
struct NativeAuthorization: Sendable {
    let authID: String
    let executionID: String
    let applicationID: String?
    /// The request's state, nonce and code verifier, to check the authorization response and to redeem its
    /// authorization code.
    let pending: PendingAuthorization

    /// The meanings of the address to which the server redirects after an authorization request.
    enum Reading {
        case opened(NativeAuthorization)
        /// A page other than the sign-in page. Usually this is the server's error page, because the server does not know the
        /// client or the redirect URI, and therefore does not redirect to the client. `detail` is the error message in the
        /// page's address; `nil` for an address without one, such as that of a gateway's page about maintenance.
        case untrusted(detail: String?)
    }

    /// Interprets the address to which the server redirects the request.
    /// - Throws: ``OAuthError`` for an error or invalid response at the redirect URI, and for an unreadable address.
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
        return .untrusted(detail: parameters["errorMessage"]?.asServerText(or: "no reason was given"))
    }
}
