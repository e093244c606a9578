import Foundation
import IdentityKit
import IdentityOAuth

extension InsForgeAuthClient {
    /// Returns a valid access token of the signed-in user. Unless automatic refresh is off, a token that is about to
    /// expire is refreshed, once for all callers.
    /// - Throws: ``InsForgeAuthError/notSignedIn``, ``InsForgeAuthError/sessionExpired`` if the server ended the
    ///   session or the token cannot be refreshed, ``InsForgeAuthError/userNotFound`` if the account was deleted,
    ///   another ``InsForgeAuthError``, or `CancellationError`. A network failure never ends the session.
    public func accessToken() async throws -> String {
        let moment = now
        return try await perform { _ in
            try await token(of: try await signedInAccount(since: moment), since: moment)
        }
    }

    /// Returns an access token other than `rejectedToken`, which a server has just refused. If the session was
    /// refreshed in the meantime, returns the newer token without a request.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func accessToken(replacing rejectedToken: String) async throws -> String {
        let moment = now
        return try await perform { _ in
            try await token(of: try await signedInAccount(since: moment), replacing: rejectedToken, since: moment)
        }
    }

    /// Refreshes the session now, even if its access token is still valid or automatic refresh is off.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/sessionExpired`` for a session without a refresh token,
    ///   which lasts as long as its access token; or `CancellationError`.
    @discardableResult
    public func refreshAccessToken() async throws -> AuthResponse {
        let moment = now
        return try await perform { project in
            let account = try await signedInAccount(since: moment)
            let current = try await project.sessions.storedCredential(of: account)
            // Throw here if there is no refresh token. The call below would treat the valid access token as refused, and
            // suspend the session: usually it could not be used until the next sign-in.
            if let current, current.refreshToken == nil, current.isUsable(at: options.time.now) {
                throw InsForgeAuthError.sessionExpired
            }
            return try await translatingSessionErrors(of: account, since: moment) {
                let refreshed = try await project.sessions.credential(
                    for: account, scopes: [], replacing: current?.accessToken.reveal())
                await note(account, in: project, since: moment)
                guard let user = InsForgeEngine.user(of: refreshed) else { throw InsForgeAuthError.notSignedIn }
                return AuthResponse(user: user, refreshed)
            }
        }
    }

    /// Returns the account of the signed-in user, after a pending import.
    /// - Throws: ``InsForgeAuthError/notSignedIn``; ``InsForgeAuthError/sessionExpired`` if the session ended without a
    ///   sign-out or belongs to another configuration; ``InsForgeAuthError/userNotFound`` if the account was deleted; or the
    ///   error of the import or the store.
    func signedInAccount(since moment: Moment) async throws -> AccountID {
        let project = try project()
        try await project.finishFirstLook()
        switch try await project.sessions.lookUp() {
        case .found(let account), .suspended(let account, _), .fallback(let account, _): return account
        case .absent(let reason):
            noteEnd(since: moment)
            switch reason {
            case .sessionEnded(let reason): throw InsForgeAuthError(ending: reason)
            case .belongsElsewhere: throw InsForgeAuthError.sessionExpired
            default: throw InsForgeAuthError.notSignedIn
            }
        }
    }

    /// Makes a call with the user's token. If the server refuses the token, the call is repeated once with a new one.
    /// - Parameters:
    ///   - shown: the session that the call is meant for; `nil` for the current one.
    ///   - moment: the moment at which the call began.
    /// - Throws: ``InsForgeAuthError/sessionChanged`` if `shown` is no longer the current session, or another error of
    ///   the token or of `call`.
    func authorized<Value: Sendable>(
        of shown: SessionNumber? = nil, since moment: Moment, _ call: (String) async throws -> Value
    ) async throws -> Value {
        let account = try await signedInAccount(since: moment)
        let value = try await retryingRefusal { error in
            [.sessionExpired, .userNotFound].contains(error as? InsForgeAuthError)
        } token: { refused in
            try await token(of: account, replacing: refused, for: shown, since: moment)
        } _: { (token: String) -> Value in
            let value = try await call(token)
            noteAcceptance(of: token)
            return value
        }
        let project = try project()
        await project.formerCopy.remove(in: project.sessions)
        return value
    }

    private func token(
        of account: AccountID, replacing rejected: String? = nil, for shown: SessionNumber? = nil, since moment: Moment
    ) async throws -> String {
        let project = try project()
        return try await translatingSessionErrors(of: account, since: moment) {
            guard options.auth.autoRefreshToken else {
                let stored = try await project.sessions.storedCredential(of: account)
                guard let stored, stored.isUsable(at: options.time.now) else { throw InsForgeAuthError.sessionExpired }
                guard stored.session(of: account) == shown ?? stored.session(of: account) else {
                    throw InsForgeAuthError.sessionChanged
                }
                let token = stored.accessToken.reveal()
                guard token != rejected else {
                    noteRefusal(of: token)
                    throw InsForgeAuthError.sessionExpired
                }
                return token
            }
            let credential = try await project.sessions.credential(for: account, scopes: [], replacing: rejected)
            // Compare the sessions before `note` announces the current one, because a call that throws `sessionChanged` must
            // not announce another session to the app.
            guard credential.session(of: account) == shown ?? credential.session(of: account) else {
                throw InsForgeAuthError.sessionChanged
            }
            await note(account, in: project, since: moment)
            return credential.accessToken.reveal()
        }
    }

    private func translatingSessionErrors<Value: Sendable>(
        of account: AccountID, since moment: Moment, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as SessionError {
            switch error {
            case .notSignedIn:
                noteEnd(of: account, since: moment)
                throw InsForgeAuthError.notSignedIn
            case .ended(_, let reason):
                noteEnd(of: account, since: moment)
                throw InsForgeAuthError(ending: reason)
            case .belongsElsewhere:
                noteEnd(of: account, since: moment)
                throw InsForgeAuthError.sessionExpired
            case .cannotRefresh:
                // End the stored session: its access token has expired or was refused, and cannot be refreshed.
                try await project().sessions.end(account)
                noteEnd(of: account, since: moment)
                throw InsForgeAuthError.sessionExpired
            case .suspended:
                throw InsForgeAuthError.sessionExpired
            case .insufficientScope, .refreshInProgress, .refreshPostponed, .refreshRefused, .clientRefused,
                .stepUpNeeded, .resourceNotGranted:
                throw error
            }
        }
    }
}
