import Foundation
import IdentityKit
import IdentityOAuth

/// Checks an access token before it becomes a session: its subject is the user, and it is signed with a key that the
/// server publishes.
///
/// Servers before June 2026, and those without a key pair, sign with a secret of their own (`HS256`), which only they can
/// verify. Such a token is accepted because it comes in the server's own response over TLS, whatever the tokens before it
/// were signed with: a server that has lost its key pair signs like this again.
struct AccessTokenVerifier: Sendable {
    private let keys: JWKSCache
    private let time: TimeSource
    private let host: String
    private let signature = SignatureVerifier(allowing: [.rs256])

    /// The longest time to wait for keys that only confirm what the server's own response brought.
    private static let patience = Duration.seconds(2)

    init(baseURL: ServerURL, transport: any HTTPTransport, time: TimeSource) {
        self.time = time
        host = baseURL.url.authority
        keys = JWKSCache(
            jwksURI: baseURL.appending("api/.well-known/jwks.json"), transport: transport,
            // The base URL was checked before.
            transportSecurity: baseURL.url.scheme == "http" ? .loopbackHTTPAllowed : .httpsOnly, time: time)
    }

    /// Takes an access token of a response apart.
    /// - Throws: ``InsForgeAuthError``, also for a refresh token.
    func read(_ token: Secret) throws -> JSONWebToken {
        guard let parsed = try? JSONWebToken(token) else { throw InsForgeAuthError.unreadableResponse(status: 200) }
        // The server accepts its own refresh tokens as access tokens.
        guard parsed.claims["type"]?.stringValue != "refresh" else {
            throw InsForgeAuthError.untrustedToken("It is a refresh token.")
        }
        return parsed
    }

    /// Passes when `token` belongs to the user and the server's keys vouch for it.
    /// - Throws: ``InsForgeAuthError``.
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

    /// Whether the keys at hand vouch for a token, without a request. Keys that do not may be too old: a server may make new
    /// ones and keep their identifier.
    /// - Throws: ``OAuthError`` for a token that no key could vouch for.
    func isVerifiedAtOnce(_ token: JSONWebToken) async throws -> Bool {
        guard token.algorithm != "HS256" else { return true }
        // No key saves another algorithm.
        guard token.algorithm == "RS256" else {
            throw OAuthError.invalidToken(.unacceptedAlgorithm(token.algorithm ?? ""))
        }
        guard let known = await keys.knownKeys else { return false }
        return (try? signature.verify(token.message, with: known)) != nil
    }

    /// Verifies a refreshed access token that the keys at hand did not vouch for.
    ///
    /// The token came in the server's own response over TLS, so keys that are missing or cannot be fetched say nothing
    /// against it. A signature that is wrong by keys that were asked for after the response does.
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
