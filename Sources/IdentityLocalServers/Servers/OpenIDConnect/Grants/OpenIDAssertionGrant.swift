import Foundation
import IdentityKit

extension OpenIDCall {
    private var isAssertionGrant: Bool {
        field("grant_type") == LocalOpenIDConnectServer.Client.GrantType.jwtBearer.rawValue
    }

    /// Returns the client that the assertion of a JWT bearer grant names as `iss` (RFC 7521 section 4.1); `nil` for any other
    /// grant, and for a request that identifies a client in another way. The assertion is not verified yet.
    /// - Throws: ``OpenIDServerError`` if the assertion is missing or malformed, or names no client of this server.
    func assertingClient() throws -> LocalOpenIDConnectServer.Client? {
        let identifiesClient =
            request.header("Authorization") != nil || field("client_id") != nil || field("client_assertion") != nil
        guard isAssertionGrant, !identifiesClient else { return nil }
        guard let issuer = SignedMessage(try requiredField("assertion"))?.claims["iss"]?.stringValue,
            let client = backend.client(issuer)
        else { throw Self.invalidAssertion }
        return client
    }

    /// `urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523 section 2.1): grants an access token for the subject of an
    /// assertion. A trusted issuer or the client itself must have signed the assertion.
    func jwtBearerGrant(of client: LocalOpenIDConnectServer.Client, key: String?) throws -> OpenIDTokens {
        guard let assertion = SignedMessage(try requiredField("assertion")),
            let subject = assertion.claims["sub"]?.stringValue,
            trustedClaims(of: assertion) != nil || isOwn(assertion, of: client)
        else { throw Self.invalidAssertion }
        let grant = OpenIDGrant(
            id: LocalIdentifiers.hex(byteCount: 12), clientID: client.id, subject: subject,
            scopes: try requestedScopes(), authenticatedAt: nil, nonce: nil,
            resources: requestedResources, keyThumbprint: key)
        return OpenIDTokens(grant: grant, hasIDToken: false)
    }

    private func isOwn(_ assertion: SignedMessage, of client: LocalOpenIDConnectServer.Client) -> Bool {
        guard case .privateKeyJWT(let keys) = client.authentication else { return false }
        return isAssertion(assertion, of: client.id, keys: keys.compactMap(PublicJWK.init))
    }

    /// The error for an invalid assertion (RFC 7523 section 3.1).
    private static let invalidAssertion = OpenIDServerError.oauth("invalid_grant", "The assertion is not valid")
}
