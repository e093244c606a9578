import Foundation
import IdentityKit
import IdentityStoreFormat

/// The source of a program's access tokens: the platform, or an authorization server.
public enum WorkloadSource: Sendable, Reticent {
    /// The platform's token itself is the access token.
    case platform(PlatformToken)
    /// An authorization server issues access tokens for the grant.
    case server(OAuthServer, WorkloadGrant)

    var platformToken: PlatformToken? {
        switch self {
        case .platform(let token): token
        case .server(_, let grant): grant.platformToken
        }
    }

    /// Shows the server, or the file, variable or platform that supplies the token; never a secret.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .platform(let token): ["platformToken": token.source]
        case .server(let server, _): ["server": server]
        }
    }
}

/// A provider whose account is the program itself, such as a service or a build job, which signs in without a person.
///
/// The tokens stay in memory. The provider requests a token when it is needed, once for all callers with the same
/// scopes. It renews the token before the token expires. A chain of providers asks this provider for its account only
/// silently, because the program has no user interface.
package final class WorkloadProvider: FixedAccountProvider, TokenRequestingProvider, TokenPresenting {
    package let account: AccountID
    package let isSignedIn = Locked(true)
    package let presentation: TokenPresentation
    private let source: WorkloadSource
    private let environment: IdentityEnvironment
    let connection: OAuthConnection?
    private let tokens: WorkloadTokens

    /// Creates a provider. No request is sent and no file is read before the first use.
    /// - Parameters:
    ///   - source: the source of the access tokens.
    ///   - account: the identifier of the account; by default the client's identifier, or else the provider's name.
    ///   - context: the provider's name, which is the realm of the account, and its environment.
    package init(_ source: WorkloadSource, account: String? = nil, context: ProviderContext) {
        let environment = context.environment
        self.source = source
        self.environment = environment
        var name = account
        switch source {
        case .platform(let token):
            connection = nil
            presentation = TokenPresentation(prover: { _ in throw OAuthError.invalidSetting(.invalidParameter("dpop")) }
            )
            tokens = WorkloadTokens(time: environment.time) { _ in
                try await Self.credential(of: token, in: environment)
            }
        case .server(let server, let grant):
            if !server.client.id.isEmpty { name = name ?? server.client.id }
            let connection = OAuthConnection(server, in: environment)
            self.connection = connection
            presentation = TokenPresentation(prover: connection.prover(for:), resource: server.resource)
            tokens = WorkloadTokens(time: environment.time) { scopes in
                let party = try await connection.party(of: nil as Credential?)
                try await connection.requireConsent(to: party, asksPerson: false)
                // Leave out `offline_access`, which a resource may name for the sign-ins of people: a program requests
                // new tokens by its grant and needs no refresh token.
                let asked = (party.discoveredScopes ?? []).filter { $0 != ResourceDiscovery.offlineAccess }
                let own = server.scopes.isEmpty ? asked : server.scopes
                return try await grant.tokens(
                    from: party, scopes: own.adding(scopes), audience: server.options.audience, in: environment
                ).credential(backend: server.backend, clientID: server.client.id)
            }
        }
        self.account = AccountID(account: name ?? context.name, realm: context.name)
    }

    /// Gets the platform's token as a credential. For a token from a file or variable, the credential expires now, so that each
    /// use reads the token again. For a token of GitHub Actions, the credential expires when the token does, or now if the
    /// token's expiry cannot be read.
    private static func credential(
        of platform: PlatformToken, in environment: IdentityEnvironment
    ) async throws -> Credential {
        let now = environment.time.now
        let token = try await platform.token(for: nil, .loopbackHTTPAllowed, in: environment)
        let expiresAt = platform.isLocal ? now : (try? JSONWebToken(token))?.expiresAt ?? now
        return Credential(accessToken: token, issuedAt: now, expiresAt: expiresAt, signedInAt: now, backend: "")
    }

    /// Always `false`, because the program signs in without a user interface.
    package var mayShowSignIn: Bool { false }

    /// Whether a token is available without a request. `true` if a valid token is in memory. Always `true` if the access token
    /// comes from a file or variable, even if the file or variable does not exist.
    package var hasToken: Bool {
        if case .platform(let token) = source, token.isLocal { return true }
        return tokens.hasValid
    }

    /// The reason why the platform's token is unavailable, such as a variable that is not set; `nil` if none is known. A file
    /// is not checked here.
    package var missingConfiguration: String? { source.platformToken?.missingConfiguration(in: environment) }

    /// Returns the account, unless it was signed out or the platform's token is missing.
    /// - Throws: nothing; without the platform's token the account is reported as not configured.
    package func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        if let gap = source.platformToken?.absence(in: environment) { return .absent(.notConfigured(gap)) }
        return isSignedIn.withLock { $0 } ? .found(account) : .absent(.signedOut)
    }

    /// Gets a token with the scopes, without asking a person for consent.
    /// - Returns: always `nil`.
    /// - Throws: as ``accessToken(for:scopes:)``.
    package func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await credential(for: accountID, scopes: scopes, replacing: nil)
        return nil
    }

    /// Returns a token with these scopes and the configured ones, from memory if possible.
    /// - Throws: an error with the code `not_signed_in` when the account is signed out or is another one, or
    ///   `platform_token_missing`, `platform_token_malformed` or `platform_token_refused` when the platform supplies no
    ///   usable token; ``OAuthError``, ``/IdentityCore/TokenStoreError``,
    ///   ``/IdentityCore/SessionError/insufficientScope(_:missing:)``, an error with the code `token_malformed` or
    ///   `randomness_unavailable`, `CancellationError`, or what the transport or the provider of an identity assertion
    ///   throws.
    nonisolated(nonsending) package func accessToken(
        for accountID: AccountID, scopes: Set<String>
    ) async throws -> String {
        try checkSignedIn(accountID)
        if let known = tokens.fresh(scopes) { return known.accessToken.reveal() }
        return try await credential(for: accountID, scopes: scopes, replacing: nil).accessToken.reveal()
    }

    /// Usually returns the current token. For ``/IdentityCore/TokenFreshness/new``, returns a token other than the current one.
    /// If `freshness` contains a refused token, returns a token other than the refused one.
    /// - Throws: as ``accessToken(for:scopes:)``, ``/IdentityCore/SessionError/cannotRefresh(_:)`` if there is no other token,
    ///   and ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` if `resource` is not `nil`.
    nonisolated(nonsending) package func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        try checkServes(resource, for: accountID)
        let current = freshness == .new ? try await accessToken(for: accountID, scopes: scopes) : nil
        return try await credential(for: accountID, scopes: scopes, replacing: current ?? freshness.rejected)
            .accessToken.reveal()
    }

    package func credential(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String?
    ) async throws -> Credential {
        try checkSignedIn(accountID)
        let credential = try await tokens.credential(for: scopes, replacing: rejectedToken)
        // The account may have been signed out while the token was requested.
        try checkSignedIn(accountID)
        guard credential.accessToken.reveal() != rejectedToken else { throw SessionError.cannotRefresh(accountID) }
        // The scopes of a platform's token are unknown, so they are not checked.
        if case .server = source, !GrantedScopes.suffice(credential.scopes, for: scopes) {
            throw SessionError.insufficientScope(accountID, missing: scopes.subtracting(credential.scopes))
        }
        return credential
    }

    /// Forgets the tokens, and revokes them if the server has a revocation endpoint. The account is signed out until the
    /// next sign-in. Does nothing for another account.
    /// - Throws: nothing. A failed revocation is reported to the environment's observers.
    package func signOut(_ accountID: AccountID) async throws {
        guard accountID == account else { return }
        isSignedIn.withLock { $0 = false }
        await connection?.forgetServerOfResource()
        let known = tokens.removeAll()
        guard !known.isEmpty, let party = connection?.knownRelyingParty, party.metadata.revocationEndpoint != nil else {
            return
        }
        await environment.sendEnd(of: accountID) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for credential in known { group.addTask { try await party.revoke(credential) } }
                try await group.waitForAll()
            }
        }
    }
}

extension WorkloadProvider: ServerExamining {
    /// Fetches the server's metadata and checks that it names a token endpoint. No token is requested.
    /// - Returns: `nil` if no server issues the tokens, because the platform's token is the access token.
    /// - Throws: what the discovery throws, and ``OAuthError/invalidMetadata(_:)`` without a usable token endpoint.
    package func examineServer() async throws -> ExaminedServer? {
        guard case .server(let server, _) = source, let connection else { return nil }
        _ = try await connection.relyingParty.metadata.endpoint(.token)
        return ExaminedServer(address: server.backend)
    }
}

extension WorkloadProvider: Reticent {
    /// Shows the account and the source of its tokens, without secrets.
    package var shown: KeyValuePairs<String, Any> { ["account": account, "source": source] }
}
