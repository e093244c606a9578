import Foundation
import IdentityKit

extension WebAuthenticationRequest {
    /// Creates a request to show the page of a sign-in. An address counts as the response if it is the redirect URI
    /// with the flow's `state` and contains no error of another server. The response may be an error of this server
    /// (RFC 6749 section 4.1.2.1).
    /// - Parameters:
    ///   - url: the address of the page: ``AuthorizationRequest/url``, or the address with the reference to a pushed
    ///     request (RFC 9126).
    ///   - pending: the record of the sign-in that the page belongs to.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when `pending` has no redirect URI, because a browser cannot wait
    ///   for an unknown address.
    package init(url: URL, for pending: PendingAuthorization) throws {
        guard let redirectURI = pending.redirectURI else { throw OAuthError.invalidSetting(.invalidRedirectURI) }
        self.init(url: url, redirectURI: redirectURI) { pending.isAnswered(by: $0) }
        unconfirmedError = { address in
            (try? AuthorizationResponse(callbackURL: address))?.unconfirmedError(for: pending)?.code
        }
    }

    /// Creates a request to show the server's sign-out page and to wait for the browser's return from it. A
    /// ``/IdentityKit/LoopbackListener`` posts the ID token to the page, so that no address contains the token.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` if `request` has no post-logout redirect URI, or an error of
    ///   ``EndSessionRequest/url``.
    package init(_ request: EndSessionRequest) throws {
        guard let redirectURI = request.postLogoutRedirectURI else { throw OAuthError.invalidCallback(.unknownFlow) }
        self.init(url: try request.url, redirectURI: redirectURI) { (try? request.checkReturn($0)) != nil }
        signOut = SignOut(form: try request.form)
    }
}

extension PendingAuthorization {
    /// Whether `callbackURL` claims to belong to this flow: it arrives at the redirect URI with the flow's state, and
    /// is not an error of another server. `AuthorizationResponse.authorizationCode(for:at:)` decides whether the response
    /// is valid.
    package func isAnswered(by callbackURL: URL) -> Bool {
        guard let callback = try? CallbackURL(callbackURL), isReached(by: callback),
            let parameters = try? callback.responseParameters,
            parameters.first(where: { $0.name == "state" })?.value.isSameSecret(as: state) == true
        else { return false }
        return (try? AuthorizationResponse(callbackURL: callbackURL))?.isForeignError(to: self) != true
    }

    /// Whether a callback arrives at this flow's redirect URI. If the request named no redirect URI, every address
    /// passes, and only `state` identifies the flow.
    func isReached(by callback: CallbackURL) -> Bool { redirectURI.map(callback.returns(to:)) ?? true }
}
