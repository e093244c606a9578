import Foundation
import IdentityKit

/// A client's connection to one server, for the lifetime of a provider: discovers the server once, at first use, gives
/// every session a key of its own, and registers a client that needs it once.
public final class OAuthConnection: Sendable {
    let server: OAuthServer
    let environment: IdentityEnvironment
    private let discover: @Sendable () async throws -> RelyingParty
    private let found = Locked<RelyingParty?>(nil)
    private let flight = Coalescer<String, RelyingParty>()
    /// The response of a protected resource to an app's request without a token, which names its server.
    private let refusal: Locked<ResourceRefusal?>
    private let proofTakers: DPoPServers
    let delegated: DelegatedTokens
    /// The prover for tokens on behalf of callers, made at first use.
    private let delegationProver = Locked<DPoPProver?>(nil)
    /// Provers by stored key, because reading a key costs more than a signature.
    private let provers = Locked<[Secret: DPoPProver]>([:])

    /// How many keys are kept in memory.
    private static let keyLimit = 16

    /// Opens a connection. Nothing is requested.
    /// - Parameters:
    ///   - server: the server and its client.
    ///   - environment: the network, the clock, the randomness, and the store of registered clients.
    public convenience init(_ server: OAuthServer, in environment: IdentityEnvironment) {
        let (environment, refusal) = (server.guarding(environment), Locked<ResourceRefusal?>(nil))
        self.init(server, in: environment, refusal: refusal) {
            try await server.relyingParty(in: environment, after: refusal.withLock { $0 })
        }
    }

    /// As above, with a given discovery instead of the server's.
    package convenience init(
        _ server: OAuthServer, in environment: IdentityEnvironment,
        discover: @escaping @Sendable () async throws -> RelyingParty
    ) {
        self.init(server, in: server.guarding(environment), refusal: Locked(nil), discover: discover)
    }

    private init(
        _ server: OAuthServer, in environment: IdentityEnvironment, refusal: Locked<ResourceRefusal?>,
        discover: @escaping @Sendable () async throws -> RelyingParty
    ) {
        self.refusal = refusal
        self.server = server
        self.environment = environment
        self.discover = discover
        proofTakers = DPoPServers(time: environment.time)
        delegated = DelegatedTokens(time: environment.time)
    }

    /// The sessions that belong to this client, or to any that it has registered.
    var origin: SessionOrigin {
        server.registration == nil
            ? SessionOrigin(type: server.type, backend: server.backend, clientID: server.client.id)
            : .anyClient(ofType: server.type, at: server.backend)
    }

    // MARK: Discovery

    package var knownRelyingParty: RelyingParty? { found.withLock { $0 } }

    /// Drops the discovered metadata, so that the next use discovers the server again.
    func forgetServer() {
        found.withLock { $0 = nil }
        refusal.withLock { $0 = nil }
    }

    /// Whether a response of the protected resource would help: there was no discovery and no response yet.
    var awaitsRefusal: Bool { knownRelyingParty == nil && refusal.withLock { $0 == nil } }

    /// Keeps a response of the protected resource for the discovery, which it tells the authorization server.
    func learn(from response: HTTPURLResponse) {
        guard let refused = ResourceRefusal(response) else { return }
        refusal.withLock { $0 = refused }
    }

    /// The client at the server, discovered once for all callers. A failed discovery is not kept.
    /// - Throws: what the discovery throws.
    public var relyingParty: RelyingParty {
        get async throws {
            if let knownRelyingParty { return knownRelyingParty }
            return try await flight.value(for: "discovery") { [found, discover] in
                let party = try await discover()
                found.withLock { $0 = party }
                return party
            }
        }
    }

    // MARK: The client and the key of a session

    /// The key, among a credential's details, of the issuer of the tokens if that is not the session's backend.
    static let issuer = "issuer"

    /// The server that issued a session's tokens; `nil` if only the configured one can be.
    func issuer(of session: Credential) -> String? {
        session.details[Self.issuer]?.stringValue ?? (server.resource == nil ? nil : server.backend)
    }

    /// Whether the server at `party` issued the tokens of a session.
    func isOf(_ session: Credential, _ party: RelyingParty) -> Bool {
        issuer(of: session).map { $0.hasBytes(of: party.metadata.issuer) } ?? true
    }

    /// The client at the server that a session's tokens were issued to, with the session's key.
    /// - Parameter credential: the session; `nil` for a new one, by a client with a configured identifier.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when another server issued its tokens, which alone may receive
    ///   them; ``OAuthError/invalidRegistration(_:)`` when the client is not known any more,
    ///   ``/IdentityCore/TokenStoreError``, and what the discovery throws.
    package func party(of credential: Credential?) async throws -> RelyingParty {
        var party = try await relyingParty
        if let credential {
            if let issuer = issuer(of: credential) { try party.metadata.requireIssuer(issuer) }
            party = try await acting(party, as: credential.clientID)
        }
        return try proving(party, credential)
    }

    /// The client at the server that began a flow, with the flow's key.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` when the client is not known any more,
    ///   ``/IdentityCore/TokenStoreError``, and what the discovery throws.
    package func party(of flow: PendingAuthorization) async throws -> RelyingParty {
        try await acting(relyingParty, for: flow)
    }

    /// `party` as the client that began a flow, with the flow's key.
    func acting(_ party: RelyingParty, for flow: PendingAuthorization) async throws -> RelyingParty {
        let party = try await acting(party, as: flow.clientID).asking(for: flow.apart, by: server.tokensByResource)
        guard party.bindsTokens || flow.proofKey != nil else { return party }
        return party.proving(try prover(of: flow.proofKey))
    }

    /// `party` with the key of the session that its tokens continue, or with a new key for a new session.
    func proving(_ party: RelyingParty, _ session: Credential?) throws -> RelyingParty {
        guard party.bindsTokens || session?.proofKey != nil || session?.isBound == true else { return party }
        return party.proving(try prover(for: session))
    }

    /// The prover of the key that tokens will be bound to (RFC 9449): the session's, or a fresh one. A session's key is
    /// kept in its record and is deleted with it.
    /// - Parameter session: the session; `nil` for a new one.
    /// - Throws: ``OAuthError``.
    package func prover(for session: Credential?) throws -> DPoPProver {
        if session?.proofKey == nil, session?.isBound == true { throw OAuthError.invalidSetting(.unusableKey) }
        return try prover(of: session?.proofKey)
    }

    /// The prover of the key that tokens on behalf of callers are bound to. One key serves for the lifetime of the
    /// provider, because these tokens are kept in memory only.
    /// - Throws: ``OAuthError``.
    func proverOfDelegation() throws -> DPoPProver {
        if let known = delegationProver.withLock({ $0 }) { return known }
        let made = try prover(for: nil)
        return delegationProver.withLock { known in
            let first = known ?? made
            known = first
            return first
        }
    }

    private func prover(of jwk: Secret?) throws -> DPoPProver {
        if let jwk, let known = provers.withLock({ $0[jwk] }) { return known }
        let key = try jwk.map { try SigningKey(jwk: $0) } ?? SigningKey.ofThisDevice()
        let prover = DPoPProver(
            key: key, servers: proofTakers, random: environment.random, time: environment.time)
        guard let jwk else { return prover }
        provers.withLock { provers in
            if provers.count >= Self.keyLimit { provers.removeAll() }
            provers[jwk] = prover
        }
        return prover
    }
}

extension Credential {
    /// Whether the access token is bound to a key.
    var isBound: Bool { TokenType(rawValue: tokenType) == .dpop }
}

extension OAuthConnection: CustomReflectable {
    /// Shows the server, without its secrets.
    public var customMirror: Mirror { Mirror(self, showing: ["server": server]) }
}
