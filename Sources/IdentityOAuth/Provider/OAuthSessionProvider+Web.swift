import Foundation
import IdentityKit

/// A sign-in in a browser that is not on this machine, such as the browser of a web server's visitor.
extension OAuthSessionProvider {
    /// Begins a sign-in of a person whose browser is on another machine. This provider keeps no record of the sign-in.
    ///
    /// Send the browser to the page, and keep the pending authorization for this browser alone, such as in a sealed cookie: it
    /// contains the code verifier. Every process with the same configuration can finish the sign-in.
    /// - Parameters:
    ///   - scopes: the scopes to ask for in addition to the configured ones.
    ///   - options: options for this sign-in only.
    /// - Throws: ``OAuthError``, such as ``OAuthError/invalidSetting(_:)`` without an `http` or `https` redirect URI, or if the
    ///   configured method is the sign-in on another device; ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, `CancellationError`, or what the transport throws.
    public func beginSignIn(
        scopes: Set<String> = [], options: SignInWishes = .init()
    ) async throws -> (page: URL, pending: PendingAuthorization) {
        guard server.method == .browser, let redirectURI = server.redirectURI, redirectURI.isOfWebServer else {
            throw OAuthError.invalidSetting(.invalidRedirectURI)
        }
        let signIn = try await connection.prepareSignIn(adding: scopes, to: nil, in: (nil, redirectURI))
        let request = try authorizationRequest(
            of: signIn, at: signIn.party, returningTo: redirectURI, again: nil, options: options)
        let page = try await signIn.party.url(for: request, pushed: server.pushesAuthorizationRequests)
        return (page, request.pending)
    }

    /// Finishes a sign-in that ``beginSignIn(scopes:options:)`` began here or in another process, and stores the session.
    /// A browser may send its callback twice. A copy that arrives at this process meanwhile, or within a minute, gets the
    /// same account or the same definitive error. If the task is cancelled, the sign-in goes on, because the callback can be
    /// used only once.
    /// - Parameters:
    ///   - pending: the record that was kept for the browser that sends the callback.
    ///   - path: the path at which the callback arrived, which must be the path of the redirect URI. Use a separate path for
    ///     each server that does not name itself in its responses (RFC 9700 section 4.4.2.2). Host and port are not compared,
    ///     because behind a proxy they may differ from those of the redirect URI.
    ///   - query: the query of the callback; with the response mode `form_post`, the body of the request.
    /// - Returns: the account of the person who signed in.
    /// - Throws: ``OAuthError`` for a refusal or a fault of the sign-in, such as `callback_unknown_flow` when it was
    ///   begun at another server or by another client, and `callback_signed_out` for a copy that arrives after a
    ///   sign-out; ``/IdentityCore/TokenStoreError``, an error with the code `randomness_unavailable`,
    ///   `CancellationError`, or what the transport throws.
    public func finishSignIn(_ pending: PendingAuthorization, path: String, query: String) async throws -> AccountID {
        let found = try await connection.relyingParty
        guard connection.started(pending, at: found), let redirectURI = pending.redirectURI else {
            throw OAuthError.invalidCallback(.unknownFlow)
        }
        let callback = try redirectURI.receiving(query, at: path, asForm: server.responseMode == .formPost)
        let completed = try await webCallbacks.value(for: callback, of: pending, whenAbandoned: .finish) { [self] in
            let account = try await finish(pending, at: found, callback)
            // Ignore an error of the store. If it were thrown, `webCallbacks` would remember no result, and a copy of the
            // callback would exchange the code again.
            let session = try? await sessions.storedCredential(of: account)?.sessionNumber
            return CompletedSignIn(account: account, session: session)
        }
        // A copy may arrive after a sign-out, and even after a new sign-in. Check that the account still has the session that
        // this sign-in began.
        guard let stored = try await sessions.storedCredential(of: completed.account),
            completed.session == nil || stored.sessionNumber == completed.session
        else { throw OAuthError.invalidCallback(.signedOut) }
        return completed.account
    }
}

/// The account and the session of a completed sign-in, remembered for copies of its callback.
struct CompletedSignIn: Sendable {
    let account: AccountID
    /// The number of the session that the sign-in began; `nil` if it could not be read. A copy of the callback is then accepted
    /// while the account has any session.
    let session: UInt64?
}

extension URL {
    fileprivate var isOfWebServer: Bool { ["http", "https"].contains(scheme?.lowercased()) && host != nil }

    /// Returns the callback to this redirect URI, with the path at which it arrived.
    /// - Parameters:
    ///   - response: the query, or the form.
    ///   - path: the path of the request.
    ///   - isForm: whether the response is a form. If so, the query of the redirect URI is added to the form's fields.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when `path` does not begin with `/` or contains `?` or `#`, when the
    ///   redirect URI has no host, or when the result is no URL.
    fileprivate func receiving(_ response: String, at path: String, asForm isForm: Bool) throws -> URL {
        let parts = URLParts(absoluteString)
        let query = [isForm ? parts?.query : nil, response].compactMap { $0 }.joined(separator: "&")
        guard let origin = parts?.serialOrigin, path.hasPrefix("/"), !path.contains(where: { "?#".contains($0) }),
            let callback = URL(string: "\(origin)\(path)?\(query)")
        else { throw OAuthError.invalidCallback(.malformed) }
        return callback
    }
}
