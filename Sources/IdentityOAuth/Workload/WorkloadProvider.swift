import Foundation
import IdentityKit
import IdentityStoreFormat

/// A program as its own account: a service, a job of a build, or anything else that signs in without a person.
///
/// Its tokens stay in memory. They are requested when they are needed, once for all callers, and again before they expire.
/// Nothing is ever shown, so that a chain asks it silently and in its order.
public final class WorkloadProvider: FixedAccountProvider, TokenRequestingProvider, TokenPresenting {
    /// Sources of access tokens.
    public enum Source: Sendable, CustomReflectable {
        /// The platform's own tokens are the access tokens.
        case platform(PlatformToken)
        /// A server issues them.
        case server(OAuthServer, WorkloadGrant)

        var platformToken: PlatformToken? {
            switch self {
            case .platform(let token): token
            case .server(_, let grant): grant.platformToken
            }
        }

        /// Shows where the platform's token is, or the server, without secrets.
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
    ///   - source: where its access tokens come from.
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
                // Scopes of a resource are for people as well, whose sessions are to outlive an access token.
                let asked = (party.discoveredScopes ?? []).filter { $0 != ResourceDiscovery.offlineAccess }
                let own = server.scopes.isEmpty ? asked : server.scopes
                return try await grant.tokens(
                    from: party, scopes: own.adding(scopes), audience: server.options.audience, in: environment
                ).credential(backend: server.backend, clientID: server.client.id)
            }
        }
        self.account = AccountID(account: name ?? context.name, realm: context.name)
    }

    /// A file or a variable is read for every use. Another token is kept for as long as it says it is good for.
    private static func credential(
        of platform: PlatformToken, in environment: IdentityEnvironment
    ) async throws -> Credential {
        let now = environment.time.now
        let token = try await platform.token(for: nil, .loopbackHTTPAllowed, in: environment)
        let expiresAt = platform.isLocal ? now : (try? JSONWebToken(token))?.expiresAt ?? now
        return Credential(accessToken: token, issuedAt: now, expiresAt: expiresAt, signedInAt: now, backend: "")
    }

    /// `false`: there is nothing to show.
    public var mayShowSignIn: Bool { false }

    /// Whether there is a token: in memory, or of the platform in a file or a variable.
    package var hasToken: Bool {
        if case .platform(let token) = source, token.isLocal { return true }
        return tokens.hasValid
    }

    /// The variable that is not set.
    public var missingConfiguration: String? { source.platformToken?.missingConfiguration(in: environment) }

    /// The account, unless it was signed out or the platform's token is missing.
    /// - Throws: nothing.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        if let gap = source.platformToken?.absence(in: environment) { return .absent(.notConfigured(gap)) }
        return isSignedIn.withLock { $0 } ? .found(account) : .absent(.signedOut)
    }

    /// Gets a token with the scopes; there is nobody to ask for consent.
    /// - Returns: `nil`.
    /// - Throws: as ``accessToken(for:scopes:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        _ = try await credential(for: accountID, scopes: scopes, replacing: nil)
        return nil
    }

    /// A token with the scopes, besides those of the server's settings; from memory when there is one.
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
    /// - Throws: as ``accessToken(for:scopes:)``, and ``/IdentityCore/SessionError/cannotRefresh(_:)`` when there is no other.
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
        // A sign-out may have come first.
        try checkSignedIn(accountID)
        guard credential.accessToken.reveal() != rejectedToken else { throw SessionError.cannotRefresh(accountID) }
        // A platform's token has no scopes that could be read.
        if case .server = source, !GrantedScopes.suffice(credential.scopes, for: scopes) {
            throw SessionError.insufficientScope(accountID, missing: scopes.subtracting(credential.scopes))
        }
        return credential
    }

    /// Forgets the tokens, and revokes them where the server can. The account is signed out until the next sign-in.
    /// - Throws: nothing. A failed revocation is no error: the environment's ``/IdentityKit/RefreshMonitor`` reports it.
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
    /// Asks for the server's metadata, where its tokens come from one.
    /// - Throws: what asking for a token would throw.
    public func examineServer() async throws -> ExaminedServer? {
        guard case .server(let server, _) = source, let connection else { return nil }
        _ = try await connection.relyingParty.metadata.endpoint(.token)
        return ExaminedServer(address: server.backend)
    }
}

extension WorkloadProvider: CustomReflectable {
    /// Shows the account and where its tokens come from, without secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["account": account, "source": source]) }
}
