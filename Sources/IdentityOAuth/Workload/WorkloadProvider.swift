import Foundation
import IdentityKit
import IdentityStoreFormat

/// A program as its own account: a service, a job of a build, or anything else that signs in without a person.
///
/// Its tokens stay in memory. They are requested when needed, once for all callers, and renewed before they expire.
/// There is no user interface, so a chain asks this provider silently and in its usual order.
public final class WorkloadProvider: FixedAccountProvider, TokenRequestingProvider, TokenPresenting {
    /// Sources of access tokens.
    public enum Source: Sendable, CustomReflectable {
        /// The platform's own tokens serve as access tokens.
        case platform(PlatformToken)
        /// A server issues the access tokens for a grant.
        case server(OAuthServer, WorkloadGrant)

        var platformToken: PlatformToken? {
            switch self {
            case .platform(let token): token
            case .server(_, let grant): grant.platformToken
            }
        }

        /// Shows the place of the platform's token, or the server, without secrets.
        public var customMirror: Mirror {
            switch self {
            case .platform(let token): Mirror(self, showing: ["platformToken": token.source])
            case .server(let server, _): Mirror(self, showing: ["server": server])
            }
        }
    }

    package let account: AccountID
    package let isSignedIn = Locked(true)
    package let presentation: TokenPresentation
    private let source: Source
    private let environment: IdentityEnvironment
    let connection: OAuthConnection?
    private let tokens: WorkloadTokens

    /// Opens a provider. Nothing is requested or read.
    /// - Parameters:
    ///   - source: the source of its access tokens.
    ///   - account: the name of its account; by default the client's identifier, or else the provider's name.
    ///   - context: the provider's name, which is the realm of the account, and its environment.
    package init(_ source: Source, account: String? = nil, context: ProviderContext) {
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
                // The scopes that a resource names are for people as well, so `offline_access` is left out: a program
                // has no session to prolong.
                let asked = (party.discoveredScopes ?? []).filter { $0 != ResourceDiscovery.offlineAccess }
                let own = server.scopes.isEmpty ? asked : server.scopes
                return try await grant.tokens(
                    from: party, scopes: own.adding(scopes), audience: server.options.audience, in: environment
                ).credential(backend: server.backend, clientID: server.client.id)
            }
        }
        self.account = AccountID(account: name ?? context.name, realm: context.name)
    }

    /// A platform's token is read at each use. A server's token is kept until it expires.
    private static func credential(
        of platform: PlatformToken, in environment: IdentityEnvironment
    ) async throws -> Credential {
        let now = environment.time.now
        let token = try await platform.token(for: nil, .loopbackHTTPAllowed, in: environment)
        let expiresAt = platform.isLocal ? now : (try? JSONWebToken(token))?.expiresAt ?? now
        return Credential(accessToken: token, issuedAt: now, expiresAt: expiresAt, signedInAt: now, backend: "")
    }

    /// Always `false`, because there is nothing to show.
    public var mayShowSignIn: Bool { false }

    /// Whether a token is available without a request: in memory, or as the platform's file or variable.
    package var hasToken: Bool {
        if case .platform(let token) = source, token.isLocal { return true }
        return tokens.hasValid
    }

    /// The reason why the platform's token is unavailable, such as a variable that is not set.
    public var missingConfiguration: String? { source.platformToken?.missingConfiguration(in: environment) }

    /// The account, unless it was signed out or the platform's token is missing.
    /// - Throws: nothing; a missing token counts as a missing account.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        if let gap = source.platformToken?.absence(in: environment) { return .absent(.notConfigured(gap)) }
        return isSignedIn.withLock { $0 } ? .found(account) : .absent(.signedOut)
    }

    /// Gets a token with the scopes; no person can be asked for consent.
    /// - Returns: always `nil`.
    /// - Throws: as ``accessToken(for:scopes:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await credential(for: accountID, scopes: scopes, replacing: nil)
        return nil
    }

    /// A token with these scopes and the configured ones, from memory if possible.
    /// - Throws: ``/IdentityKit/FixedTokenError/notSignedIn(_:)``, `PlatformTokenError`, ``OAuthError``,
    ///   ``/IdentityCore/SessionError/insufficientScope(_:missing:)``, or what the transport throws.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>
    ) async throws -> String {
        try checkSignedIn(accountID)
        if let known = tokens.fresh(scopes) { return known.accessToken.reveal() }
        return try await credential(for: accountID, scopes: scopes, replacing: nil).accessToken.reveal()
    }

    /// Gets a token other than the refused one.
    /// - Throws: as ``accessToken(for:scopes:)``, and ``/IdentityCore/SessionError/cannotRefresh(_:)`` if there is no
    ///   other token.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        try await credential(for: accountID, scopes: scopes, replacing: rejectedToken).accessToken.reveal()
    }

    package func credential(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String?
    ) async throws -> Credential {
        try checkSignedIn(accountID)
        let credential = try await tokens.credential(for: scopes, replacing: rejectedToken)
        // The person may have signed out while the token was requested.
        try checkSignedIn(accountID)
        guard credential.accessToken.reveal() != rejectedToken else { throw SessionError.cannotRefresh(accountID) }
        // The scopes of a platform's token are unknown, so they are not checked.
        if case .server = source, !GrantedScopes.suffice(credential.scopes, for: scopes) {
            throw SessionError.insufficientScope(accountID, missing: scopes.subtracting(credential.scopes))
        }
        return credential
    }

    /// Forgets the tokens, and revokes them if the server supports it. The account is signed out until the next sign-in.
    /// - Throws: nothing. The environment's ``/IdentityKit/RefreshMonitor`` reports a failed revocation.
    public func signOut(_ accountID: AccountID) async throws {
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
    /// Fetches the server's metadata, if a server issues the tokens.
    /// - Throws: what asking for a token would throw.
    public func examineServer() async throws -> ExaminedServer? {
        guard case .server(let server, _) = source, let connection else { return nil }
        _ = try await connection.relyingParty.metadata.endpoint(.token)
        return ExaminedServer(address: server.backend)
    }
}

extension WorkloadProvider: CustomReflectable {
    /// Shows the account and the source of its tokens, without secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["account": account, "source": source]) }
}
