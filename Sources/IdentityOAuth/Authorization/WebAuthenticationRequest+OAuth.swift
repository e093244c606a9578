import Foundation
import IdentityKit

extension WebAuthenticationRequest {
    /// The page of an authorization request. Its response, which may be an error, arrives at the redirect URI with the
    /// flow's `state` (RFC 6749 section 4.1.2).
    /// - Parameters:
    ///   - url: the page: ``AuthorizationRequest/url``, or the reference to a pushed request (RFC 9126).
    ///   - pending: the flow.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the flow names no redirect URI, for which no browser can wait.
    public init(url: URL, for pending: PendingAuthorization) throws {
        guard let redirectURI = pending.redirectURI else { throw OAuthError.invalidSetting(.invalidRedirectURI) }
        self.init(url: url, redirectURI: redirectURI) { pending.isAnswered(by: $0) }
        unconfirmedError = { address in
            (try? AuthorizationResponse(callbackURL: address))?.unconfirmedError(for: pending)?.code
        }
    }

    /// The page of a sign-out at the server, and the return from it. With a ``/IdentityKit/LoopbackListener`` the ID
    /// token is posted, so that it does not appear in an address.
    /// - Throws: as ``EndSessionRequest/url``, and ``OAuthError/invalidCallback(_:)`` for one that does not return.
    public init(_ request: EndSessionRequest) throws {
        guard let redirectURI = request.postLogoutRedirectURI else { throw OAuthError.invalidCallback(.unknownFlow) }
        self.init(url: try request.url, redirectURI: redirectURI) { (try? request.checkReturn($0)) != nil }
        signOut = SignOut(form: try request.form)
    }
}

extension PendingAuthorization {
    /// Whether `callbackURL` claims to belong to this flow: it arrives at the redirect URI with the flow's state, and
    /// is not an error of another server. `AuthorizationResponse.authorizationCode(for:at:)` decides whether it is
    /// valid.
    package func isAnswered(by callbackURL: URL) -> Bool {
        guard let callback = try? CallbackURL(callbackURL), isReached(by: callback),
            let parameters = try? callback.responseParameters,
            parameters.first(where: { $0.name == "state" })?.value.isSameSecret(as: state) == true
        else { return false }
        return (try? AuthorizationResponse(callbackURL: callbackURL))?.isForeignError(to: self) != true
    }

    /// Whether a callback arrives at this flow's redirect URI. Any address passes if the server chose it; then `state`
    /// alone identifies the flow.
    func isReached(by callback: CallbackURL) -> Bool { redirectURI.map(callback.returns(to:)) ?? true }
}
