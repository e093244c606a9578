import Foundation
import IdentityKit

struct OpenIDCode: Sendable {
    let request: OpenIDAuthorizationRequest
    let grant: OpenIDGrant
    let expiresAt: Date
}

extension OpenIDCall {
    /// `authorization_code`: exchanges an authorization code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.6).
    func codeGrant(of client: LocalOpenIDConnectServer.Client, key: String?) throws -> OpenIDTokens {
        let code = try redeem(requiredField("code"), of: client)
        guard field("redirect_uri") == code.request.redirectURI else {
            throw OpenIDServerError.oauth("invalid_grant", "The redirect_uri is not that of the authorization request")
        }
        guard try isProven(code.request) else {
            throw OpenIDServerError.oauth("invalid_grant", "The code_verifier does not fit the code_challenge")
        }
        // An authorization code that is bound to a key needs a proof of that key (RFC 9449 section 10).
        guard code.grant.keyThumbprint == nil || code.grant.keyThumbprint == key else {
            throw OpenIDServerError.oauth("invalid_grant", "The code is bound to another key")
        }
        let isOffline = code.grant.scopes.contains("offline_access")
        let wantsOffline =
            code.request.scopes.contains("offline_access") || behaviour.has(.refreshTokenForOfflineAccessOnly)
        let isRefreshable = client.grantTypes.contains(.refreshToken) && (isOffline || !wantsOffline)
        return OpenIDTokens(
            grant: code.grant.bound(to: key), refresh: isRefreshable ? .first : .none,
            audience: try namedResource(of: code.grant))
    }

    /// Returns whether `code_verifier` is well-formed and fits the code challenge of the authorization request (RFC 7636
    /// section 4.6). With `noCodeChallenge`, returns whether the verifier is absent.
    /// - Throws: ``OpenIDServerError`` if a required verifier is missing.
    private func isProven(_ request: OpenIDAuthorizationRequest) throws -> Bool {
        guard !behaviour.has(.noCodeChallenge) else { return field("code_verifier") == nil }
        let verifier = try requiredField("code_verifier")
        return CodeChallenge.isVerifier(verifier) && CodeChallenge.matches(request.codeChallenge, verifier: verifier)
    }

    private func redeem(_ text: String, of client: LocalOpenIDConnectServer.Client) throws -> OpenIDCode {
        let now = backend.time.now
        switch backend.codes.redeem(text, if: { $0.grant.clientID == client.id && now < $0.expiresAt }) {
        case .fresh(let code):
            return code
        case .replayed(let code):
            if behaviour.has(.acceptsCodeReplay) { return code }
            backend.noteReplay(ofFamily: code.grant.id)
            throw OpenIDServerError.oauth("invalid_grant", "The code was used before")
        case .unknown:
            throw OpenIDServerError.oauth("invalid_grant", "The code is unknown or too old")
        }
    }

    /// `client_credentials` (RFC 6749 section 4.4): grants an access token whose subject is the client itself.
    func clientCredentialsGrant(of client: LocalOpenIDConnectServer.Client, key: String?) throws -> OpenIDTokens {
        guard !client.isPublic else {
            throw OpenIDServerError.oauth("unauthorized_client", "A public client has no credentials")
        }
        let grant = OpenIDGrant(
            id: LocalIdentifiers.hex(byteCount: 12), clientID: client.id, subject: client.id,
            scopes: try requestedScopes(), authenticatedAt: nil, nonce: nil,
            resources: requestedResources, keyThumbprint: key)
        return OpenIDTokens(grant: grant, hasIDToken: false)
    }
}
