import Foundation
import IdentityKit
import OAuthKit

/// The two identifiers of an authorization that is carried on without a browser.
struct NativeAuthorization: Sendable {
    let authID: String
    let executionID: String

    /// Reads where the server would send the browser.
    /// - Throws: what the server says when it sends the browser straight back, or to its error page.
    init(signInPage url: URL, request: AuthorizationRequest, at now: Date) throws {
        let parameters = try CallbackURL(url)
        if let authID = parameters["authId"], let executionID = parameters["executionId"] {
            (self.authID, self.executionID) = (authID, executionID)
            return
        }
        if parameters.returns(to: request.redirectURI) {
            _ = try AuthorizationResponse(callbackURL: url).authorizationCode(for: request.pending, at: now)
        }
        let detail = (parameters["errorMessage"] ?? "").asServerText(or: "no reason was given")
        throw detail == "Invalid redirect URI"
            ? IAMError(
                .invalidRedirectUri, "The server does not know this redirect URI. Register \(request.redirectURI).")
            : IAMError(.invalidConfiguration, "The server refused the authorization request: \(detail).")
    }
}
