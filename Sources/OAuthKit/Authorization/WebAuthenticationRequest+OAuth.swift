import Foundation
import IdentityKit

extension WebAuthenticationRequest {
    /// The page of an authorization request, whose response has the flow's `state` and arrives at its redirect URI
    /// (RFC 6749 section 4.1.2). An error with that state is a response too.
    /// - Parameters:
    ///   - url: the page: ``AuthorizationRequest/url``, or the reference to a pushed request (RFC 9126).
    ///   - pending: the flow.
    public init(url: URL, for pending: PendingAuthorization) {
        self.init(url: url, redirectURI: pending.redirectURI) { pending.isAnswered(by: $0) }
    }

    /// The page of a sign-out at the server, and the return from it.
    /// - Throws: as ``EndSessionRequest/url``, and ``OAuthError/invalidCallback(_:)`` for one that does not return.
    public init(_ request: EndSessionRequest) throws {
        guard let redirectURI = request.postLogoutRedirectURI else { throw OAuthError.invalidCallback(.unknownFlow) }
        self.init(url: try request.url, redirectURI: redirectURI) { (try? request.checkReturn($0)) != nil }
    }
}

extension PendingAuthorization {
    /// Whether `callbackURL` claims to belong to this flow: it arrives at the redirect URI with the flow's state. Whether
    /// it is valid is checked by ``AuthorizationResponse/authorizationCode(for:at:)``.
    public func isAnswered(by callbackURL: URL) -> Bool {
        guard let callback = try? CallbackURL(callbackURL), callback.returns(to: redirectURI) else { return false }
        return callback["state"]?.isSameSecret(as: state) == true
    }
}
