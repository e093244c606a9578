import Foundation
import IdentityKit

/// A client's connection to one server, for the lifetime of a provider. It discovers the server at first use. If configured,
/// it registers a client with the server, and binds the tokens of every session to a key of that session.
package final class OAuthConnection: Sendable {
    let server: OAuthServer
    let environment: IdentityEnvironment
    private let discover: @Sendable () async throws -> RelyingParty
    private let found = Locked<(party: RelyingParty, mark: TimeSource.Mark)?>(nil)
    private let flight = Coalescer<String, RelyingParty>()
    /// The response of the protected resource to a request without a token; `nil` if none is known. The discovery
    /// learns the authorization server from it.
    private let refusal: Locked<ResourceRefusal?>
    private let proofTakers: DPoPServers
    let delegated: DelegatedTokens
    /// The prover for tokens on behalf of callers, made at first use.
    private let delegationProver = Locked<DPoPProver?>(nil)
    /// Provers by the private key of their session, a JWK. They are kept because decoding a key takes longer than signing.
    private let provers = Locked<[Secret: DPoPProver]>([:])

    /// The largest number of provers in memory. When it is reached, all are dropped before another is kept.
    private static let keyLimit = 16

    /// The time after which metadata is requested again, because a server may change its endpoints and algorithms.
    private static let recheckInterval: Duration = .seconds(86_400)
    /// The time after which metadata that may be incomplete is requested again.
    private static let shortRecheckInterval: Duration = .seconds(300)

    /// Creates a connection. No request is sent before the first use.
    /// - Parameters:
    ///   - server: the server and its client.
    ///   - environment: the network, the clock, the randomness, and the store of registered clients.
    package convenience init(_ server: OAuthServer, in environment: IdentityEnvironment) {
        let (environment, refusal) = (server.guarding(environment), Locked<ResourceRefusal?>(nil))
        self.init(server, in: environment, refusal: refusal) {
            try await server.relyingParty(in: environment, after: refusal.withLock { $0 })
        }
    }

    /// Creates a connection that calls `discover` instead of the discovery that `server` describes.
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

    /// The origin of this connection's sessions: the configured client at this server. If the app registers its
    /// clients, the origin is any client at this server.
    var origin: SessionOrigin {
        server.registration == nil
            ? SessionOrigin(type: server.type, backend: server.backend, clientID: server.client.id)
            : .anyClient(ofType: server.type, at: server.backend)
    }

    // MARK: Discovery

    package var knownRelyingParty: RelyingParty? { found.withLock { $0?.party } }

    /// Discovers the server again, without using the known response of the resource. If that fails, the known server stays in
    /// use.
    /// - Throws: what the discovery throws, or `CancellationError`.
    func discoverAgain() async throws {
        refusal.withLock { $0 = nil }
        _ = try await flight.value(for: "another discovery") { [found, discover, time = environment.time] in
            let party = try await discover()
            found.withLock { $0 = (party, time.mark) }
            return party
        }
    }

    /// Whether a response of the protected resource would save the discovery a request: the server has not been discovered,
    /// and no response is known.
    var awaitsRefusal: Bool { knownRelyingParty == nil && refusal.withLock { $0 == nil } }

    /// Keeps a response of the protected resource, so that the discovery learns the authorization server from it. A
    /// response with another status than 401 and 403 is ignored.
    func learn(from response: HTTPURLResponse) {
        guard let refused = ResourceRefusal(response) else { return }
        refusal.withLock { $0 = refused }
    }

    /// The client at the server. The first use discovers the server, once for all concurrent callers. After a failed
    /// discovery, the next use tries again. Metadata is requested again after a day, or after five minutes if it may be
    /// incomplete. It stays in use if that fails, takes more than five seconds, or brings incomplete metadata in place of
    /// complete metadata. It also stays if the resource names another server by then. A restart, or a refusal of the resource
    /// in a request that may show a sign-in, puts the other server in its place.
    /// - Throws: what the discovery throws, or `CancellationError`.
    package var relyingParty: RelyingParty {
        get async throws {
            if let current { return current }
            return try await flight.value(for: "discovery") { [self] in
                // A concurrent call may have discovered the server meanwhile.
                if let current { return current }
                let (known, time) = (knownRelyingParty, environment.time)
                do {
                    let party =
                        known == nil
                        ? try await discover()
                        : try await Deadline.run(.seconds(5), on: time, orThrow: CancellationError(), discover)
                    if let known, !mayReplace(known.metadata, by: party.metadata) { throw CancellationError() }
                    found.withLock { $0 = (party, time.mark) }
                    return party
                } catch {
                    try Task.checkCancellation()
                    // A firewall may have sent the resource's response, so the next discovery does not rely on it.
                    refusal.withLock { $0 = nil }
                    guard let known else { throw error }
                    found.withLock { $0?.mark = time.mark }
                    return known
                }
            }
        }
    }

    /// Whether `new` may replace `known` without a person: it is complete if `known` is, and of the same issuer if a resource
    /// names the issuer, because every session and waiting callback is of that issuer.
    private func mayReplace(_ known: AuthorizationServerMetadata, by new: AuthorizationServerMetadata) -> Bool {
        (known.mayBeIncomplete || !new.mayBeIncomplete)
            && (server.resource == nil || new.issuer.hasBytes(of: known.issuer))
    }

    /// The discovered server; `nil` before the first discovery, and if its metadata has to be requested again.
    private var current: RelyingParty? {
        guard let (party, mark) = found.withLock({ $0 }) else { return nil }
        let interval = party.metadata.mayBeIncomplete ? Self.shortRecheckInterval : Self.recheckInterval
        return environment.time.elapsed(since: mark) >= interval ? nil : party
    }

    // MARK: The client and the key of a session

    /// The key in a credential's details under which the issuer of the tokens is stored if it is not the session's backend.
    static let issuer = "issuer"

    /// The issuer of a session's tokens: the stored issuer, or else the backend if the server is found through a resource.
    /// `nil` if no issuer is stored and the server is not found through a resource. The configured server then is the only one
    /// that can have issued the tokens.
    func issuer(of session: Credential) -> String? {
        session.details[Self.issuer]?.stringValue ?? (server.resource == nil ? nil : server.backend)
    }

    /// Whether the server at `party` issued the tokens of a session.
    func isOf(_ session: Credential, _ party: RelyingParty) -> Bool {
        issuer(of: session).map { $0.hasBytes(of: party.metadata.issuer) } ?? true
    }

    /// Returns the client to which a session's tokens were issued, with the session's key.
    /// - Parameter credential: the session; `nil` for a new session of a client with a configured identifier.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when another server issued the tokens, because only that server may
    ///   receive them; ``OAuthError/invalidRegistration(_:)`` when the client is not stored any more;
    ///   ``OAuthError/invalidSetting(_:)`` when the session's key is missing or unusable;
    ///   ``/IdentityCore/TokenStoreError``, `CancellationError`, and what the discovery throws.
    package func party(of credential: Credential?) async throws -> RelyingParty {
        var party = try await relyingParty
        if let credential {
            if let issuer = issuer(of: credential) { try party.metadata.requireIssuer(issuer) }
            party = try await acting(party, as: credential.clientID)
        }
        return try proving(party, credential)
    }

    /// Returns the client that began a flow, with the flow's key.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` when the client is not stored any more,
    ///   ``OAuthError/invalidSetting(_:)`` when the flow's key is unusable, ``/IdentityCore/TokenStoreError``,
    ///   `CancellationError`, and what the discovery throws.
    package func party(of flow: PendingAuthorization) async throws -> RelyingParty {
        try await acting(relyingParty, for: flow)
    }

    /// Returns `party` as the client that began a flow, with the flow's key and the resource that the flow is for.
    func acting(_ party: RelyingParty, for flow: PendingAuthorization) async throws -> RelyingParty {
        let party = try await acting(party, as: flow.clientID).asking(for: flow.apart, by: server.tokensByResource)
        guard party.bindsTokens || flow.proofKey != nil else { return party }
        return party.proving(try prover(of: flow.proofKey))
    }

    /// Returns `party` with the key of `session`, or with a new key if the session has none. Returns `party` unchanged if the
    /// tokens of its new sessions are bearer tokens, and `session` has neither a key nor a bound token.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an unusable key, and for a bound token without its key;
    ///   `OAuthError.invalidToken` when the system returns a new key with an invalid public point.
    func proving(_ party: RelyingParty, _ session: Credential?) throws -> RelyingParty {
        guard party.bindsTokens || session?.proofKey != nil || session?.isBound == true else { return party }
        return party.proving(try prover(for: session))
    }

    /// Returns the prover of the key that tokens will be bound to (RFC 9449): the session's key, or a new one if it has
    /// none. A session's key is stored in the record of the session and deleted with it.
    /// - Parameter session: the session; `nil` for a new session.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an unusable key, and for bound tokens without a key;
    ///   `OAuthError.invalidToken` when the system returns a new key with an invalid public point.
    package func prover(for session: Credential?) throws -> DPoPProver {
        if session?.proofKey == nil, session?.isBound == true { throw OAuthError.invalidSetting(.unusableKey) }
        return try prover(of: session?.proofKey)
    }

    /// Returns the prover of the key that tokens on behalf of callers are bound to. One key serves for the lifetime of the
    /// provider, because these tokens are kept in memory only.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when the system returns a new key with an invalid public point.
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
    /// Whether the access token has the type `DPoP`, so that it is bound to a key (RFC 9449 section 5).
    var isBound: Bool { TokenType(rawValue: tokenType) == .dpop }
}

extension OAuthConnection: Reticent {
    /// Shows the server, without its secrets.
    package var shown: KeyValuePairs<String, Any> { ["server": server] }
}
