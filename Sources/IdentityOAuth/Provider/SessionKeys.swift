import IdentityKit

/// The keys that the tokens of a client are bound to (RFC 9449). Each session has its own, which is kept in its record and
/// ends with it.
package final class SessionKeys: Sendable {
    private let environment: IdentityEnvironment
    private let servers: DPoPServers
    /// Reading a key costs more than a signature, and a session makes many.
    private let known = Locked<[Secret: DPoPProver]>([:])

    /// How many keys are kept in memory.
    private static let limit = 16

    /// - Parameter environment: the clock and the randomness.
    package init(in environment: IdentityEnvironment) {
        self.environment = environment
        servers = DPoPServers(time: environment.time)
    }

    /// Proves the key that tokens will be bound to: that of the session that they continue, or a fresh one.
    /// - Parameter credential: the session; `nil` for a new one.
    /// - Throws: ``OAuthError``.
    package func prover(for credential: Credential?) throws -> DPoPProver {
        guard let credential else { return try fresh() }
        if let key = credential.proofKey { return try prover(of: key) }
        guard TokenType(rawValue: credential.tokenType) != .dpop else {
            throw OAuthError.invalidSetting(.unusableKey)
        }
        return try fresh()
    }

    /// Proves a key that no session has.
    /// - Throws: ``OAuthError``.
    package func fresh() throws -> DPoPProver {
        prover(of: try SigningKey.ofThisDevice())
    }

    /// Proves a key that was stored.
    /// - Throws: ``OAuthError/invalidSetting(_:)``.
    package func prover(of jwk: Secret) throws -> DPoPProver {
        if let prover = known.withLock({ $0[jwk] }) { return prover }
        let prover = prover(of: try SigningKey(jwk: jwk))
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[jwk] = prover
        }
        return prover
    }

    private func prover(of key: SigningKey) -> DPoPProver {
        DPoPProver(key: key, servers: servers, random: environment.random, time: environment.time)
    }
}

extension RelyingParty {
    /// The same, for a flow that was started before: its code is bound to the flow's key.
    /// - Throws: ``OAuthError``.
    package func proving(_ flow: PendingAuthorization, by keys: SessionKeys) throws -> RelyingParty {
        if let key = flow.proofKey { return proving(try keys.prover(of: key)) }
        return bindsTokens ? proving(try keys.fresh()) : self
    }

    /// The same, for tokens that continue a session, or begin one.
    /// - Throws: ``OAuthError``.
    package func proving(_ credential: Credential?, by keys: SessionKeys) throws -> RelyingParty {
        let isBound = credential.map { $0.proofKey != nil || TokenType(rawValue: $0.tokenType) == .dpop } ?? false
        guard bindsTokens || isBound else { return self }
        return proving(try keys.prover(for: credential))
    }
}
