import Foundation
import IdentityKit

/// A sign-in in a browser that is not on this machine, such as that of a web server's visitor.
extension OAuthSessionProvider {
    /// Begins a sign-in of somebody whose browser is elsewhere. Nothing of it is kept here.
    ///
    /// Send the browser to the page, and keep the pending authorization for this browser alone, such as in a sealed cookie: it
    /// contains the code verifier. Every process with the same configuration can finish the sign-in.
    /// - Parameters:
    ///   - scopes: the scopes to ask for in addition to the configured ones.
    ///   - options: options for this sign-in only.
    /// - Throws: ``OAuthError``, such as ``OAuthError/invalidSetting(_:)`` without a redirect URI,
    ///   ``/IdentityCore/TokenStoreError``, ``/IdentityCore/RandomnessError``, or what the transport throws.
    public func beginSignIn(
        scopes: Set<String> = [], options: IdentityClient.SignInOptions = .init()
    ) async throws -> (page: URL, pending: PendingAuthorization) {
        guard let redirectURI = server.redirectURI else { throw OAuthError.invalidSetting(.invalidRedirectURI) }
        let signIn = try await connection.prepareSignIn(adding: scopes, to: nil, in: (nil, redirectURI))
        let request = try authorizationRequest(
            of: signIn, at: signIn.party, returningTo: redirectURI, again: nil, options: options)
        let page = try await signIn.party.url(for: request, pushed: server.pushesAuthorizationRequests)
        return (page, request.pending)
    }

    /// Finishes a sign-in that ``beginSignIn(scopes:options:)`` began here or in another process, and stores the session.
    /// A browser may send its callback twice. A copy that arrives at this process meanwhile, or within a minute, gets the
    /// same account or the same definitive error.
    /// - Parameters:
    ///   - pending: the record that was kept for the browser that sends the callback.
    ///   - query: the query of the callback; with the response mode `form_post`, the body of the request. The address
    ///     at which the callback arrived is not checked, because it may differ behind a proxy.
    /// - Returns: the account of the person who signed in.
    /// - Throws: ``OAuthError`` for a refusal or a fault of the sign-in, such as `callback_unknown_flow` when it was begun at
    ///   another server or by another client; ``/IdentityCore/TokenStoreError``, or what the transport throws.
    public func finishSignIn(_ pending: PendingAuthorization, query: String) async throws -> AccountID {
        let found = try await connection.relyingParty
        guard connection.started(pending, at: found), let redirectURI = pending.redirectURI,
            var callback = URLComponents(url: redirectURI, resolvingAgainstBaseURL: false)
        else { throw OAuthError.invalidCallback(.unknownFlow) }
        callback.query = nil
        guard let url = URL(string: "\(callback.string ?? "")?\(query)") else {
            throw OAuthError.invalidCallback(.malformed)
        }
        return try await callbacks.value(for: url, of: pending) { [self] in
            try await finish(pending, at: found, url)
        }
    }
}
