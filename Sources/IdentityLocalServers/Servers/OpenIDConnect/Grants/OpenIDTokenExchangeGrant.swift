import Foundation
import IdentityKit

extension OpenIDCall {
    private static let tokenTypePrefix = "urn:ietf:params:oauth:token-type:"

    /// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): exchanges an access or ID token of this server, or a token
    /// of a trusted issuer, for an access token. The response has neither a refresh token nor an ID token.
    func tokenExchangeGrant(of client: LocalOpenIDConnectServer.Client, key: String?) throws -> OpenIDTokens {
        if let requested = field("requested_token_type"), requested != Self.tokenTypePrefix + "access_token" {
            throw OpenIDServerError.oauth("invalid_request", "Only access tokens are issued")
        }
        if field("actor_token") != nil {
            throw OpenIDServerError.oauth("invalid_request", "An actor_token is not supported")
        }
        let subject = try exchangedSubject()
        let requested = try requestedScopes()
        guard requested.allSatisfy(subject.scopes.contains) else {
            throw OpenIDServerError.oauth("invalid_scope", "The subject token does not have these scopes")
        }
        let targets = (request.form ?? []).filter { ["audience", "resource"].contains($0.name) }.map(\.value)
        let grant = OpenIDGrant(
            id: subject.familyID, clientID: client.id, subject: subject.id,
            scopes: requested.isEmpty ? subject.scopes : requested, authenticatedAt: nil, nonce: nil,
            resources: targets, keyThumbprint: key)
        return OpenIDTokens(
            grant: grant, hasIDToken: false,
            additions: ["issued_token_type": .string(Self.tokenTypePrefix + "access_token")])
    }

    private func exchangedSubject() throws -> (id: String, scopes: [String], familyID: String) {
        let text = try requiredField("subject_token")
        let type = try requiredField("subject_token_type")
        switch type {
        case Self.tokenTypePrefix + "access_token":
            guard let token = backend.tokens.accessToken(text) else { break }
            return (token.grant.subject, token.grantedScopes, token.grant.id)
        case Self.tokenTypePrefix + "id_token":
            guard let claims = backend.ownIDToken(text), let subject = claims["sub"]?.stringValue,
                (claims["exp"]?.numberValue ?? 0) > backend.time.now.timeIntervalSince1970
            else { return try foreignSubject(text) }
            return (subject, ["openid", "profile", "email"], LocalIdentifiers.hex(byteCount: 12))
        case Self.tokenTypePrefix + "jwt":
            return try foreignSubject(text)
        default:
            throw OpenIDServerError.oauth("invalid_request", "The subject_token_type is not supported")
        }
        throw Self.invalidSubject
    }

    /// Returns the subject in a token of a trusted issuer, all scopes of the configuration, and the identifier of a new token
    /// family, whose tokens are revoked together.
    /// - Throws: ``OpenIDServerError`` for any other token.
    private func foreignSubject(_ text: String) throws -> (id: String, scopes: [String], familyID: String) {
        guard let subject = SignedMessage(text).flatMap(trustedClaims)?["sub"]?.stringValue else {
            throw Self.invalidSubject
        }
        return (subject, backend.configuration.scopes, LocalIdentifiers.hex(byteCount: 12))
    }

    /// RFC 8693 section 2.2.2 requires `invalid_request` for this, not `invalid_grant`.
    private static let invalidSubject = OpenIDServerError.oauth("invalid_request", "The subject_token is not valid")
}

extension OpenIDBackend {
    /// Returns the claims of an ID token or other JWT signed by one of this server's present keys, even if it has expired;
    /// `nil` for any other text.
    func ownIDToken(_ text: String) -> JSONValue? {
        SignedMessage(text).flatMap { keyRing.didSign($0) ? $0.claims : nil }
    }
}
