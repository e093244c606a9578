import Foundation
import IdentityKit

/// A client's connection to one server, for the life of a provider: the server is discovered at first use and then kept,
/// every session has a key of its own, and a client that registers itself is registered once.
public final class OAuthConnection: Sendable {
    let server: OAuthServer
    let environment: IdentityEnvironment
    private let discover: @Sendable () async throws -> RelyingParty
    private let found = Locked<RelyingParty?>(nil)
    private let flight = Coalescer<String, RelyingParty>()
    /// The answer of a protected resource to a request of the app's without a token.
    private let refusal: Locked<ResourceRefusal?>
    private let proofTakers: DPoPServers
    let delegated: DelegatedTokens
    /// The key of tokens on behalf of callers, once there is one.
    private let delegationProver = Locked<DPoPProver?>(nil)
    /// Reading a key costs more than a signature, and a session makes many.
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

    /// As above, with a discovery of the caller's.
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

    /// Which sessions belong to this client, or to any that it has registered.
    var origin: SessionOrigin {
        server.registration == nil
            ? SessionOrigin(type: server.type, backend: server.backend, clientID: server.client.id)
            : .anyClient(ofType: server.type, at: server.backend)
    }

    // MARK: Discovery

    package var knownRelyingParty: RelyingParty? { found.withLock { $0 } }

    /// Discovers the server again at the next use.
    func forgetServer() {
        found.withLock { $0 = nil }
        refusal.withLock { $0 = nil }
    }

    /// Whether nobody has asked the protected resource yet what it wants.
    var awaitsRefusal: Bool { knownRelyingParty == nil && refusal.withLock { $0 == nil } }

    /// Learns what the protected resource wants.
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

    /// The name, among the details of a credential, of the server that issued it, where that is not the session's backend.
    static let issuer = "issuer"

    /// The server that issued the tokens of a session; `nil` where it can be no other than the one that is configured.
    func issuer(of session: Credential) -> String? {
        session.details[Self.issuer]?.stringValue ?? (server.resource == nil ? nil : server.backend)
    }

    /// Whether the server at `party` issued the tokens of a session.
    func isOf(_ session: Credential, _ party: RelyingParty) -> Bool {
        issuer(of: session).map { $0.hasBytes(of: party.metadata.issuer) } ?? true
    }

    /// The client at the server that a session's tokens were issued to, with the session's key.
    /// - Parameter credential: the session; `nil` for one that begins, by no client that registers itself.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when another server issued its tokens: they are not sent to this one.
    ///   ``OAuthError/invalidRegistration(_:)`` when the client is not known any more, ``/IdentityCore/TokenStoreError``, and
    ///   what the discovery throws.
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

    /// `party` with the key of the session that its tokens continue, or begin.
    func proving(_ party: RelyingParty, _ session: Credential?) throws -> RelyingParty {
        guard party.bindsTokens || session?.proofKey != nil || session?.isBound == true else { return party }
        return party.proving(try prover(for: session))
    }

    /// Proves the key that tokens will be bound to (RFC 9449): that of the session that they continue, or a fresh one. A
    /// session's key is kept in its record and ends with it.
    /// - Parameter session: the session; `nil` for a new one.
    /// - Throws: ``OAuthError``.
    package func prover(for session: Credential?) throws -> DPoPProver {
        if session?.proofKey == nil, session?.isBound == true { throw OAuthError.invalidSetting(.unusableKey) }
        return try prover(of: session?.proofKey)
    }

    /// Proves the key that tokens on behalf of callers are bound to: one for the life of the provider, as they are in memory.
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
