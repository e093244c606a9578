import Foundation
import IdentityKit

extension OAuthServer {
    /// The scopes that a sign-in at `party` asks for: the configured ones, without optional scopes that are missing in
    /// the list of the server's metadata. If none are configured, they are the scopes that the protected resource
    /// demands.
    func scopes(at party: RelyingParty) -> [String] {
        guard !scopes.isEmpty else { return party.discoveredScopes ?? [] }
        guard let offered = party.metadata.scopesSupported else { return scopes }
        return scopes.filter { !optionalScopes.contains($0) || offered.contains($0) }
    }
}

extension RelyingParty {
    /// Shows a sign-in in a browser on this device (RFC 6749 section 4.1) and returns the callback, which is not redeemed yet.
    /// - Parameters:
    ///   - request: the authorization request.
    ///   - browser: shows the server's page.
    ///   - isPushed: as for ``url(for:pushed:)``.
    ///   - pending: remembers the flow while the person is in the browser, so that it survives a restart of the app.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError` when the person gives up, or what the
    ///   transport, the store or the browser throws.
    package func callback(
        to request: AuthorizationRequest, in browser: any WebAuthenticator, pushed isPushed: Bool?,
        remembering pending: PendingAuthorizations? = nil
    ) async throws -> URL {
        // Push the request first: a flow need not be remembered if the server refuses its request.
        let url = try await url(for: request, pushed: isPushed)
        try await pending?.add(request.pending)
        return try await browser.callback(at: url, for: request.pending, notice: notice)
    }
}

extension WebAuthenticator {
    /// Opens the page of a flow and waits for its response.
    /// - Parameter notice: a sentence that tells the person which resource asks for the sign-in, and at which server; `nil` for
    ///   none.
    /// - Throws: ``OAuthError/refused(_:)`` for an error without a `state`. ``authenticate(_:)`` returns such an error only if
    ///   no other page or app can have sent it, as in a system's browser sheet. ``OAuthError/invalidSetting(_:)`` for a flow
    ///   without a redirect URI, or what ``authenticate(_:)`` throws.
    package func callback(
        at page: URL, for pending: PendingAuthorization, notice: String? = nil
    ) async throws -> URL {
        var request = try WebAuthenticationRequest(url: page, for: pending)
        request.notice = notice
        let callback = try await authenticate(request)
        let response = try? AuthorizationResponse(callbackURL: callback)
        if let refusal = response?.unconfirmedError(for: pending) { throw OAuthError.refused(refusal) }
        return callback
    }
}
