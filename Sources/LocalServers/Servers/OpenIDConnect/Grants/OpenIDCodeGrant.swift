import Foundation
import IdentityKit

/// `authorization_code` (RFC 6749 section 4.1.3, RFC 7636 section 4.6)
struct OpenIDCodeGrant: OpenIDGrantHandler {
    func tokens(
        for client: LocalOpenIDConnectServer.Client, key: String?, _ call: OpenIDCall
    ) throws -> OpenIDTokens {
        let code = try redeem(call.requiredField("code"), of: client, call)
        guard call.field("redirect_uri") == code.request.redirectURI else {
            throw OpenIDFailure.oauth("invalid_grant", "The redirect_uri is not that of the authorization request")
        }
        guard CodeChallenge.matches(code.request.codeChallenge, verifier: try call.requiredField("code_verifier"))
        else { throw OpenIDFailure.oauth("invalid_grant", "The code_verifier does not fit the code_challenge") }
        // A code bound to a key is of no use without it (RFC 9449 section 10).
        guard code.grant.keyThumbprint == nil || code.grant.keyThumbprint == key else {
            throw OpenIDFailure.oauth("invalid_grant", "The code is bound to another key")
        }
        let isOffline = code.grant.scopes.contains("offline_access")
        let wantsOffline =
            code.request.scopes.contains("offline_access") || call.behaviour.has(.refreshTokenForOfflineAccessOnly)
        let isRefreshable = client.grantTypes.contains(.refreshToken) && (isOffline || !wantsOffline)
        return OpenIDTokens(grant: code.grant.bound(to: key), refresh: isRefreshable ? .first : .none)
    }

    private func redeem(
        _ text: String, of client: LocalOpenIDConnectServer.Client, _ call: OpenIDCall
    ) throws -> OpenIDCodes.Code {
        switch call.backend.codes.redeem(text, clientID: client.id) {
        case .fresh(let code):
            return code
        case .replayed(let code):
            if call.behaviour.has(.acceptsCodeReplay) { return code }
            call.backend.noteReplay(ofFamily: code.grant.id)
            throw OpenIDFailure.oauth("invalid_grant", "The code was used before")
        case .unknown:
            throw OpenIDFailure.oauth("invalid_grant", "The code is unknown or too old")
        }
    }
}

/// `client_credentials` (RFC 6749 section 4.4): the client speaks for itself.
struct OpenIDClientCredentialsGrant: OpenIDGrantHandler {
    func tokens(
        for client: LocalOpenIDConnectServer.Client, key: String?, _ call: OpenIDCall
    ) throws -> OpenIDTokens {
        guard !client.isPublic else {
            throw OpenIDFailure.oauth("unauthorized_client", "A public client has no credentials")
        }
        let grant = OpenIDGrant(
            id: LocalIdentifiers.hex(byteCount: 12), clientID: client.id, subject: client.id,
            scopes: try call.requestedScopes(), authenticatedAt: nil, nonce: nil,
            resources: (call.request.form ?? []).filter { $0.name == "resource" }.map(\.value), keyThumbprint: key)
        return OpenIDTokens(grant: grant, hasIDToken: false)
    }
}
