import Foundation
import IdentityKit

/// Authentication of the client that sent the request (RFC 6749 section 2.3, RFC 7523 section 2.2).
extension OpenIDCall {
    /// Returns the client that sent the request, after checking the credentials. The client must use the authentication method
    /// that it is registered with.
    /// - Throws: ``OpenIDServerError``: `invalid_request` if the request uses several methods, or has neither a client
    ///   identifier nor an assertion; `invalid_client` for every other failure.
    func authenticatedClient() throws -> LocalOpenIDConnectServer.Client {
        let (clientID, proof) = try clientCredentials()
        guard let client = backend.client(clientID) else { throw clientRefusal }
        switch (client.authentication, proof) {
        case (.none, .none): return client
        case (.basic(let secret), .basic(let sent)) where secret == sent: return client
        case (.post(let secret), .post(let sent)) where secret == sent: return client
        case (.privateKeyJWT(let keys), .assertion(let assertion)):
            try check(assertion, of: clientID, keys: keys.compactMap(PublicJWK.init))
            return client
        case (.secretJWT(let secret), .assertion(let assertion)):
            guard secret.reveal().utf8.count >= 32, assertion.claims["sub"]?.stringValue == clientID,
                isAssertion(assertion, of: clientID, isSigned: { $0.isSigned(with: secret) })
            else { throw clientRefusal }
            return client
        case (.signedSecret(let owner, let keys), .post(let sent)):
            guard let message = SignedMessage(sent.reveal()), isSecret(message, of: clientID, in: owner, keys) else {
                throw clientRefusal
            }
            return client
        case (.federated(let issuer, let subject), .assertion(let assertion)):
            guard let claims = trustedClaims(of: assertion), claims["iss"]?.stringValue == issuer,
                claims["sub"]?.stringValue == subject
            else { throw clientRefusal }
            return client
        default: throw clientRefusal
        }
    }

    private func clientCredentials() throws -> (clientID: String, proof: ClientProof) {
        do throws(ClientProofError) {
            return try request.clientCredentials()
        } catch {
            switch error {
            case .unusable, .otherClientID: throw clientRefusal
            case .missingClientID: throw OpenIDServerError.oauth("invalid_request", "client_id is missing")
            case .severalMethods:
                throw OpenIDServerError.oauth("invalid_request", "More than one way of client authentication was used")
            }
        }
    }

    /// Checks that the client signed the assertion about itself (RFC 7523 section 3).
    /// - Throws: ``OpenIDServerError`` for any other assertion.
    private func check(_ assertion: SignedMessage, of clientID: String, keys: [PublicJWK]) throws {
        guard assertion.claims["sub"]?.stringValue == clientID, isAssertion(assertion, of: clientID, keys: keys) else {
            throw clientRefusal
        }
    }

    /// Returns whether the client issued and signed the assertion for this server, and the assertion is neither expired nor
    /// used. If the result is true, the assertion counts as used from now on. The caller must check the subject, which may be
    /// the client or a person.
    func isAssertion(_ assertion: SignedMessage, of clientID: String, keys: [PublicJWK]) -> Bool {
        isAssertion(assertion, of: clientID) { assertion in
            keys.contains { isNamed($0, by: assertion) && assertion.isSigned(by: $0) }
        }
    }

    private func isAssertion(
        _ assertion: SignedMessage, of clientID: String, isSigned: (SignedMessage) -> Bool
    ) -> Bool {
        let claims = assertion.claims
        let accepted = [backend.issuer, backend.baseURL + OpenIDEndpoints.token]
        return claims["iss"]?.stringValue == clientID
            && assertion.audiences.contains(where: accepted.contains)
            && AssertionLifetime.isValid(claims, at: backend.now(behaviour))
            && isSigned(assertion)
            && claims["jti"]?.stringValue.map { id in
                backend.usedAssertions.withLock { $0.insert(id).inserted }
            } ?? false
    }

    /// Returns whether `message` is a valid client secret in the form of a JWT, as Apple requires: issued by the client's owner
    /// about this client for this server, and signed with the key that `kid` names. The JWT must expire within 15,777,000
    /// seconds (six months), and `iat` must be at most 60 seconds ahead.
    private func isSecret(
        _ message: SignedMessage, of clientID: String, in owner: String, _ keys: [JSONValue]
    ) -> Bool {
        let (claims, now) = (message.claims, backend.now(behaviour).timeIntervalSince1970)
        guard claims["iss"]?.stringValue == owner, claims["sub"]?.stringValue == clientID,
            claims["aud"]?.stringValue == backend.issuer, let name = message.header["kid"]?.stringValue,
            let expiry = claims["exp"]?.numberValue, (now...now + 15_777_000).contains(expiry),
            (claims["iat"]?.numberValue ?? .infinity) <= now + 60
        else { return false }
        return keys.compactMap(PublicJWK.init).contains { $0.id == name && message.isSigned(by: $0) }
    }

    /// Returns the claims of a valid token that a trusted issuer signed for the audience in the configuration; `nil` for any
    /// other token. A client may use the token repeatedly, because a workload platform gives a program a new token only from
    /// time to time.
    func trustedClaims(of token: SignedMessage) -> JSONValue? {
        let claims = token.claims
        let now = backend.now(behaviour).timeIntervalSince1970
        let isTrusted = backend.configuration.trustedIssuers.contains { trusted in
            claims["iss"]?.stringValue == trusted.issuer && token.audiences.contains(trusted.audience ?? backend.issuer)
                && trusted.keys.compactMap(PublicJWK.init).contains {
                    isNamed($0, by: token) && token.isSigned(by: $0)
                }
        }
        guard isTrusted, let expiry = claims["exp"]?.numberValue, now < expiry,
            (claims["nbf"]?.numberValue ?? now) <= now
        else { return nil }
        return claims
    }

    /// Returns whether the assertion's `kid` is the identifier of the key. If the assertion or the key has no identifier, the
    /// result is true.
    private func isNamed(_ key: PublicJWK, by assertion: SignedMessage) -> Bool {
        guard let name = assertion.header["kid"]?.stringValue, let id = key.id else { return true }
        return name == id
    }

    /// The error `invalid_client` with the status 401. If the request has the header `Authorization`, the response has a
    /// challenge for the scheme `Basic` (RFC 6749 section 5.2).
    private var clientRefusal: OpenIDServerError {
        let challenge = [(name: "WWW-Authenticate", value: "Basic realm=\"clients\"")]
        return .oauth(
            status: 401, error: "invalid_client", description: "The client authentication failed",
            headers: request.header("Authorization") == nil ? [] : challenge)
    }
}
