import Foundation
import IdentityKit

extension WebAuthenticationRequest {
    /// The page of an authorization request, whose response has the flow's `state` and arrives at its redirect URI
    /// (RFC 6749 section 4.1.2). An error with that state is a response too.
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

    /// The page of a sign-out at the server, and the return from it. A ``/IdentityKit/LoopbackListener`` posts an ID token
    /// instead of opening an address with it.
    /// - Throws: as ``EndSessionRequest/url``, and ``OAuthError/invalidCallback(_:)`` for one that does not return.
    public init(_ request: EndSessionRequest) throws {
        guard let redirectURI = request.postLogoutRedirectURI else { throw OAuthError.invalidCallback(.unknownFlow) }
        self.init(url: try request.url, redirectURI: redirectURI) { (try? request.checkReturn($0)) != nil }
        signOut = SignOut(form: request.form)
    }
}

extension PendingAuthorization {
    /// Whether `callbackURL` claims to belong to this flow: it arrives at the redirect URI with the flow's state, and is no
    /// error of another server. Whether it is valid is checked by `AuthorizationResponse.authorizationCode(for:at:)`.
    package func isAnswered(by callbackURL: URL) -> Bool {
        guard let callback = try? CallbackURL(callbackURL), isReached(by: callback),
            let parameters = try? callback.responseParameters,
            parameters.first(where: { $0.name == "state" })?.value.isSameSecret(as: state) == true
        else { return false }
        return (try? AuthorizationResponse(callbackURL: callbackURL))?.isForeignError(to: self) != true
    }

    /// Whether a callback arrives where this flow's responses do. Where the server chose the address, its `state` alone
    /// tells.
    func isReached(by callback: CallbackURL) -> Bool { redirectURI.map(callback.returns(to:)) ?? true }
}
