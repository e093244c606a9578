import Foundation
import IdentityKit

extension RelyingParty {
    /// Signs in in a browser on this device (RFC 6749 section 4.1).
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - browser: shows the server's page.
    ///   - isPushed: whether the request is pushed although the server does not require it.
    ///   - pending: remembers the flow while the person is in the browser, so that it survives a restart of the app.
    /// - Throws: ``OAuthError``, `CancellationError` when the person gives up, or what the transport or the store throws.
    package func signIn(
        _ request: AuthorizationRequest, in browser: any WebAuthenticator, pushed isPushed: Bool,
        remembering pending: PendingAuthorizations? = nil
    ) async throws -> TokenSet {
        // Before the flow is remembered: one that the server does not take waits for nothing.
        let url = try await url(for: request, pushed: isPushed)
        try await pending?.add(request.pending)
        let callback = try await browser.authenticate(WebAuthenticationRequest(url: url, for: request.pending))
        // Whatever the response is, the flow is over: a callback can be used once.
        guard let pending else { return try await redeem(callback, for: request.pending) }
        guard let flow = try await pending.take(request.state) else { throw OAuthError.invalidCallback(.unknownFlow) }
        return try await redeem(callback, for: flow)
    }
}
