import Foundation
import IdentityKit
import IdentityOAuth

/// The output of a credential plug-in for kubectl (client.authentication.k8s.io).
struct KubectlAnswer: Encodable {
    struct Status: Encodable {
        let token: String
        let expirationTimestamp: Date?
    }

    let apiVersion: String
    let kind = "ExecCredential"
    let status: Status

    /// Makes the response to kubectl, with a token for the cluster that `request` names.
    /// - Parameter audience: the audience of the ID token that kubectl gets; `nil` to give it the access token.
    /// - Throws: ``KubectlRequestError``, what ``Destination/account(in:)`` and ``Destination/token(in:)`` throw, or what the
    ///   provider or the store throws.
    init(to request: KubectlRequest, in session: ToolSession, idTokenFor audience: String?) async throws {
        apiVersion = request.version
        let destination = Destination(address: request.server)
        guard let audience else {
            let token = try await destination.token(in: session)
            status = Status(token: token.value.reveal(), expirationTimestamp: token.expiresAt)
            return
        }
        let account = try await destination.account(in: session)
        let (token, end) = try await IDTokens(of: account, in: session).token(for: audience)
        status = Status(token: token.reveal(), expirationTimestamp: end)
    }
}

/// Reads and renews the ID token of an account's session.
struct IDTokens: Sendable {
    let account: AccountID
    let session: ToolSession

    init(of account: AccountID, in session: ToolSession) { (self.account, self.session) = (account, session) }

    /// Returns the session's ID token. If the token expires within `margin` seconds, refreshes the session first. The returned
    /// token may still expire within `margin` seconds, because a refresh need not bring a new ID token.
    /// - Parameter refreshes: whether to refresh the session for a new ID token.
    /// - Throws: ``KubectlRequestError/idTokenNotFor(audience:)``, ``KubectlRequestError/idTokenExpired`` when the ID token
    ///   has expired even after the refresh, or what the provider or the store throws.
    func token(
        for audience: String, lasting margin: Double = 0, refreshes: Bool = true
    ) async throws -> (token: Secret, expiresAt: Date) {
        // After an interrupted refresh, this call makes the provider verify the new ID token. An unverified ID token is
        // not used.
        _ = try await session.client.accessToken(as: account)
        let known = try await stored(for: audience)
        if known.expiresAt.timeIntervalSince(session.call.context.clock.now) > margin { return known }
        if refreshes { _ = try await session.client.accessToken(as: account, freshness: .new) }
        let renewed = try await stored(for: audience)
        guard renewed.expiresAt > session.call.context.clock.now else { throw KubectlRequestError.idTokenExpired }
        return renewed
    }

    private func stored(for audience: String) async throws -> (token: Secret, expiresAt: Date) {
        let backend = try await session.details(of: account)?.backend ?? ""
        let sessions = ProviderSessions(
            realm: account.realm, origin: .anyone(at: backend), store: session.store, time: session.call.context.clock
        ) { _ in throw CancellationError() }
        guard let credential = try await sessions.storedCredential(of: account), credential.pendingVerification == nil,
            let token = credential.idToken, let parsed = try? JSONWebToken(token),
            parsed.audience?.contains(audience) == true, let end = parsed.expiresAt
        else { throw KubectlRequestError.idTokenNotFor(audience: audience) }
        return (token, end)
    }
}
