import Foundation
import IdentityKit

/// Validates a server's ID tokens for one client (OpenID Connect Core section 3.1.3.7): first the signature, then the
/// claims. The error names the rule that a token breaks.
package struct IDTokenValidator: Sendable {
    /// The issuer identifier that `iss` must equal byte for byte, unless `tenants` is set.
    package let issuer: String
    /// The client identifier. `aud` must contain it, and `azp` must equal it if the token has an `azp`.
    package let clientID: String
    /// Verifies signatures, and refuses algorithms that are not allowed.
    package let verifier: SignatureVerifier
    /// The issuers of a multi-tenant server, used instead of `issuer`; `nil` for a server with one issuer.
    package var tenants: TenantIssuer?
    /// The tolerated difference between the dates in claims and the server's time, which this machine can only estimate.
    package var tolerance: Duration = .seconds(60)

    /// Creates a validator for a server with one issuer; set `tenants` for a multi-tenant server.
    /// - Parameters:
    ///   - issuer: the issuer identifier, which `iss` must equal byte for byte.
    ///   - clientID: the client identifier, which `aud` must contain.
    ///   - allowedAlgorithms: the accepted signature algorithms. An algorithm that this library cannot verify is ignored.
    package init(
        issuer: String, clientID: String,
        allowing allowedAlgorithms: some Sequence<SigningAlgorithm> = SigningAlgorithm.verifiable
    ) {
        self.issuer = issuer
        self.clientID = clientID
        verifier = SignatureVerifier(allowing: allowedAlgorithms)
    }

    /// Creates a validator for the issuer in the metadata. Of the signature algorithms that the metadata lists for ID
    /// tokens, it accepts those that this library can verify. Without a list, it accepts all that this library can verify.
    package init(metadata: AuthorizationServerMetadata, clientID: String) {
        let announced: [SigningAlgorithm]? = metadata.words("id_token_signing_alg_values_supported")
        self.init(
            issuer: metadata.issuer, clientID: clientID, allowing: announced ?? Array(SigningAlgorithm.verifiable))
    }

    /// Validates a token against known keys.
    /// - Parameters:
    ///   - token: the token as it was received.
    ///   - keys: the server's keys.
    ///   - expectation: requirements on this token in addition to the rules for every ID token.
    ///   - now: the server's time; see `ClockOffset`.
    /// - Throws: ``OAuthError/invalidToken(_:)`` for a malformed token, or a signature that is wrong or cannot be
    ///   verified; ``OAuthError/invalidIDToken(_:)`` for a wrong claim or a wrong `typ`.
    package func validate(
        _ token: Secret, keys: JSONWebKeySet, expecting expectation: IDTokenExpectation, at now: Date
    ) throws -> IDToken {
        let decoded = try JSONWebToken(token)
        let key = try verifier.verify(decoded.message, with: keys)
        return try check(decoded, token, signedWith: key, expectation, now)
    }

    /// Validates a token against the server's published keys.
    /// - Throws: the errors of validation against known keys, and what fetching the keys throws.
    package func validate(
        _ token: Secret, keys: JWKSCache, expecting expectation: IDTokenExpectation, at now: Date
    ) async throws -> IDToken {
        try await validate(token, keys: keys, doubting: false, expecting: expectation, at: now)
    }

    /// Validates a token against the server's published keys.
    /// - Parameter doubting: whether to verify a wrong signature once more with newly fetched keys. A server may reuse a
    ///   `kid` for a new key.
    func validate(
        _ token: Secret, keys: JWKSCache, doubting: Bool, expecting expectation: IDTokenExpectation, at now: Date
    ) async throws -> IDToken {
        let decoded = try JSONWebToken(token)
        let key = try await keys.verify(decoded.message, by: verifier, doubting: doubting)
        return try check(decoded, token, signedWith: key, expectation, now)
    }

    /// Validates a token that the token endpoint has just sent, at the server's time, because this machine's clock may be
    /// wrong. The token's `iat` may be up to ten minutes ahead.
    ///
    /// The server's time comes from the first of these sources that is available:
    ///
    /// - The `Date` header of the response.
    /// - The token's `iat`, unless the session's previous token has the same `iat` or a later one. An old token cannot be
    ///   recognized by its dates if its own `iat` counts as the server's time, but the `nonce` of a sign-in still reveals it.
    /// - This machine's clock.
    ///
    /// Other dates in the claims have the usual ``tolerance``.
    /// - Parameters:
    ///   - token: the token as it was received.
    ///   - keys: the server's published keys.
    ///   - expectation: requirements on this token in addition to the rules for every ID token.
    ///   - serverDate: the `Date` of the response, as in `TokenEndpointResponse.serverDate`; `nil` without the header.
    ///   - sentAt: when the request was sent, by this machine's clock.
    ///   - receivedAt: when the response arrived, by this machine's clock.
    /// - Throws: the errors of validation against known keys, and what fetching the keys throws.
    package func validate(
        received token: Secret, keys: JWKSCache, expecting expectation: IDTokenExpectation, serverDate: Date?,
        sentAt: Date, receivedAt: Date
    ) async throws -> IDToken {
        let received = PendingVerification(
            idToken: token, sentAt: sentAt, receivedAt: receivedAt, serverDate: serverDate)
        var expectation = expectation
        expectation.received = received
        return try await validate(
            token, keys: keys, expecting: expectation, at: received.serverTime(after: expectation.previous))
    }

    private func check(
        _ token: JSONWebToken, _ encoded: Secret, signedWith key: JSONWebKey, _ expectation: IDTokenExpectation,
        _ now: Date
    ) throws -> IDToken {
        do {
            let claims = IDTokenClaims(
                token: token, tolerance: tolerance.timeInterval, now: now, received: expectation.received)
            try claims.checkType()
            let tenant = try tenants?.tenant(in: claims)
            let issuer = tenant.flatMap { tenants?.issuer(of: $0) } ?? issuer
            if tenant == nil { try claims.checkIssuer(issuer) }
            try tenants?.check(key, signsFor: issuer)
            let subject = try claims.subject(expected: tenant == nil ? expectation.subject : nil)
            let person = tenant.map { TenantIssuer.person(subject, of: $0) } ?? subject
            guard person.hasBytes(of: expectation.subject ?? person) else {
                throw InvalidIDTokenReason.subjectMismatch
            }
            let audience = try claims.audience(including: clientID)
            if let previous = expectation.previous { try claims.checkOwner(isThatOf: previous, audience: audience) }
            let (issuedAt, expiresAt) = try claims.lifetime()
            try claims.checkNonce(expectation.nonce)
            try claims.checkHash(of: expectation.accessToken, scheme: verifier.algorithm(of: token.message).1)
            let authenticatedAt = try claims.authenticationTime(maxAge: expectation.maxAge)
            try claims.checkAuthenticationContext(expectation.acceptedACRValues)
            if let previous = expectation.previous { try claims.checkSignIn(isThatOf: previous) }
            return IDToken(
                encoded: encoded, claims: token.claims, issuer: issuer, subject: subject, person: person,
                audience: audience,
                issuedAt: issuedAt, expiresAt: expiresAt, authenticatedAt: authenticatedAt)
        } catch let reason as InvalidIDTokenReason {
            throw OAuthError.invalidIDToken(reason)
        }
    }
}
