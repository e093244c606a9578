import Foundation
import IdentityKit

/// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): an access token for one of this server's access or ID
/// tokens. Neither a refresh token nor an ID token comes with it.
struct OpenIDTokenExchangeGrant: OpenIDGrantHandler {
    private static let prefix = "urn:ietf:params:oauth:token-type:"

    func tokens(
        for client: LocalOpenIDConnectServer.Client, key: String?, _ call: OpenIDCall
    ) throws -> OpenIDTokens {
        if let requested = call.field("requested_token_type"), requested != Self.prefix + "access_token" {
            throw OpenIDFailure.oauth("invalid_request", "Only access tokens are handed out")
        }
        if call.field("actor_token") != nil {
            throw OpenIDFailure.oauth("invalid_request", "An actor_token is not supported")
        }
        let subject = try subject(call)
        let requested = try call.requestedScopes()
        guard requested.allSatisfy(subject.scopes.contains) else {
            throw OpenIDFailure.oauth("invalid_scope", "The subject token does not have these scopes")
        }
        let targets = (call.request.form ?? []).filter { ["audience", "resource"].contains($0.name) }.map(\.value)
        let grant = OpenIDGrant(
            id: subject.familyID, clientID: client.id, subject: subject.id,
            scopes: requested.isEmpty ? subject.scopes : requested, authenticatedAt: nil, nonce: nil,
            resources: targets, keyThumbprint: key)
        return OpenIDTokens(
            grant: grant, hasIDToken: false, additions: ["issued_token_type": .string(Self.prefix + "access_token")])
    }

    private func subject(_ call: OpenIDCall) throws -> (id: String, scopes: [String], familyID: String) {
        let text = try call.requiredField("subject_token")
        switch try call.requiredField("subject_token_type") {
        case Self.prefix + "access_token":
            guard let token = call.backend.tokens.accessToken(text) else { break }
            return (token.grant.subject, token.scopes, token.grant.id)
        case Self.prefix + "id_token":
            guard let claims = call.backend.ownIDToken(text), let subject = claims["sub"]?.stringValue,
                (claims["exp"]?.numberValue ?? 0) > call.backend.time.now.timeIntervalSince1970
            else { break }
            return (subject, ["openid", "profile", "email"], LocalIdentifiers.hex(byteCount: 12))
        default:
            throw OpenIDFailure.oauth("invalid_request", "The subject_token_type is not supported")
        }
        throw OpenIDFailure.oauth("invalid_request", "The subject_token is not valid")
    }
}

extension OpenIDBackend {
    /// The claims of an ID token this server signed, however old; `nil` for any other text.
    func ownIDToken(_ text: String) -> JSONValue? {
        SignedMessage(text).flatMap { keyRing.didSign($0) ? $0.claims : nil }
    }
}
