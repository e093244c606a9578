import Foundation
import IdentityKit
import IdentityOAuth

/// Verifies the access tokens of new and refreshed sessions. In a new session, the subject of the token must be the user, and a
/// token with the algorithm `RS256` must be signed with a key that the server publishes. In a refreshed session, the token is
/// also accepted if the server's keys are not available; see ``verification(of:)``.
///
/// Servers before June 2026, and those without a key pair, sign with a secret (`HS256`), so only they can verify the
/// signature. A token with `HS256` is accepted because it arrives in the server's own response over TLS. It is accepted
/// even if earlier tokens had another algorithm, because a server that has lost its key pair falls back to `HS256`.
struct AccessTokenVerifier: Sendable {
    private let keys: JWKSCache
    private let time: TimeSource
    private let host: String
    private let signature = SignatureVerifier(allowing: [.rs256])

    /// The longest time to wait for the server's keys when a refreshed token is verified.
    private static let patience = Duration.seconds(2)

    init(baseURL: ServerURL, transport: any HTTPTransport, time: TimeSource) {
        self.time = time
        host = baseURL.url.authority
        keys = JWKSCache(
            jwksURI: baseURL.appending("api/.well-known/jwks.json"), transport: transport,
            // `ServerURL` accepts the scheme `http` only for this machine.
            transportSecurity: baseURL.url.scheme == "http" ? .loopbackHTTPAllowed : .httpsOnly, time: time)
    }

    /// Decodes the access token of a response.
    /// - Throws: ``InsForgeAuthError/unreadableResponse(status:)`` for a text that is no JWT,
    ///   ``InsForgeAuthError/untrustedToken(_:)`` for a refresh token.
    func read(_ token: Secret) throws -> JSONWebToken {
        guard let parsed = try? JSONWebToken(token) else { throw InsForgeAuthError.unreadableResponse(status: 200) }
        // The server would accept its own refresh tokens as access tokens, so they are refused here.
        guard parsed.claims["type"]?.stringValue != "refresh" else {
            throw InsForgeAuthError.untrustedToken("It is a refresh token.")
        }
        return parsed
    }

    /// Checks that the subject of `token` is the user, and that the server's keys verify the signature. The signature of a
    /// token with the algorithm `HS256` is not checked.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    func verify(_ token: Secret, of userID: String) async throws {
        let parsed = try read(token)
        guard parsed.subject.hasBytes(of: userID) else {
            throw InsForgeAuthError.untrustedToken("The server's access token is another user's.")
        }
        let receivedAt = time.now
        do {
            if try await isVerifiedAtOnce(parsed) { return }
            try signature.verify(parsed.message, with: await keys.keys(askedAfter: receivedAt))
        } catch let error as TransportError {
            throw InsForgeAuthError.networkError(error)
        } catch let error as OAuthError {
            throw InsForgeAuthError.untrustedToken(error.message)
        }
    }

    /// Returns whether `token` is accepted without a request: it has the algorithm `HS256`, or the cached keys verify it.
    /// A token for which the result is `false` can still be valid. The cached keys may be outdated, because a server may
    /// make a new key under the old identifier.
    /// - Throws: ``OAuthError`` for any other algorithm than `HS256` and `RS256`.
    func isVerifiedAtOnce(_ token: JSONWebToken) async throws -> Bool {
        guard token.algorithm != "HS256" else { return true }
        // The server publishes keys only for `RS256`.
        guard token.algorithm == "RS256" else {
            throw OAuthError.invalidToken(.unacceptedAlgorithm(token.algorithm ?? ""))
        }
        guard let known = await keys.knownKeys else { return false }
        return (try? signature.verify(token.message, with: known)) != nil
    }

    /// Verifies a refreshed access token that the cached keys did not verify.
    ///
    /// The token arrived in the server's own response over TLS. It is therefore accepted if the server's keys cannot be
    /// fetched in time, or if the token's key is not among them. It is refused if keys that were requested after the
    /// response show that its signature is wrong.
    /// - Throws: `CancellationError`.
    func verification(of credential: Credential) async throws -> RefreshVerification {
        var verified = credential
        verified.pendingVerification = nil
        guard let pending = credential.pendingVerification else { return .verified(verified) }
        do {
            let keys = try await Deadline.run(
                Self.patience, on: time, orThrow: TransportError.timedOut(host: host, after: Self.patience)
            ) { [keys] in
                try await keys.keys(askedAfter: pending.receivedAt)
            }
            try signature.verify(JSONWebToken(pending.idToken).message, with: keys)
        } catch OAuthError.invalidToken(.invalidSignature) {
            return .refused(reason: "The server returned a token that its keys did not sign.")
        } catch let error as CancellationError {
            throw error
        } catch {
            return .verified(verified)
        }
        return .verified(verified)
    }
}
