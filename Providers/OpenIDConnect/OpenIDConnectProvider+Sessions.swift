import Foundation
import IdentityKit
import OAuthKit

/// How a session begins.
extension OpenIDConnectProvider {
    /// Begins a session of the person in the ID token.
    /// - Parameter isAgain: whether the person has a session, which these tokens step up.
    func begin(_ tokens: TokenSet, at party: RelyingParty, again isAgain: Bool) async throws -> AccountID {
        guard let idToken = tokens.idToken else { throw OAuthError.invalidIDToken(.missing) }
        return try await begin(
            tokens, for: idToken.subject, profile: await missingProfile(of: tokens, idToken.subject, at: party),
            again: isAgain)
    }

    /// Begins a session.
    /// - Parameters:
    ///   - tokens: its tokens.
    ///   - subject: the person.
    ///   - profile: what is known of the person beside the ID token.
    ///   - isAgain: whether the person has a session, which these tokens step up.
    func begin(
        _ tokens: TokenSet, for subject: String, profile: AccountProfile?, again isAgain: Bool
    ) async throws -> AccountID {
        let account = AccountID(account: subject, realm: sessions.realm)
        var credential = credential(tokens)
        credential.details[SessionSubject.detail] = .string(subject)
        credential.profile = credential.profile.completed(with: profile)
        // Read now and not before the person was asked: the session may have been refreshed meanwhile.
        if isAgain, let current = try await sessions.storedCredential(of: account) {
            credential = credential.steppingUp(current)
        }
        try await sessions.begin(credential, for: account)
        return account
    }

    /// What userinfo knows of a person whose ID token lacks what the granted scopes promise; many servers put a name
    /// there alone (OpenID Connect Core section 5.4). Nobody is kept from signing in for it.
    private func missingProfile(of tokens: TokenSet, _ subject: String, at party: RelyingParty) async -> AccountProfile?
    {
        let known = credential(tokens)
        let lacksName = known.profile?.displayName == nil && known.scopes.contains("profile")
        let lacksEmail = known.profile?.email == nil && known.scopes.contains("email")
        guard lacksName || lacksEmail, party.metadata.userinfoEndpoint != nil else { return nil }
        // Nobody waits longer for it, either.
        let answer = try? await Deadline.run(.seconds(5), on: environment.time, orThrow: CancellationError()) {
            try await self.userInfo(tokens.response.accessToken, subject: subject, at: party)
        }
        return answer.flatMap { AccountProfile(claims: $0.claims) }
    }

    private func credential(_ tokens: TokenSet) -> Credential {
        tokens.credential(backend: settings.issuer, clientID: settings.clientID)
    }
}
