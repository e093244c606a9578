import Foundation
import IdentityKit

extension RelyingParty {
    /// Exchanges an ID token of this server for an Identity Assertion JWT Authorization Grant. With the grant, this
    /// server vouches for the person to another authorization server. The grant is used once and not stored.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    func identityAssertion(
        from idToken: Secret, to audience: String, for resource: String?, scopes: [String]
    ) async throws -> Secret {
        let grant = try TokenGrant.tokenExchange(
            subjectToken: idToken, subjectTokenType: .idToken, requestedTokenType: .identityAssertion,
            audiences: [audience], resources: resource.map { [$0] } ?? [], scopes: scopes.isEmpty ? nil : scopes)
        var request = TokenRequest(grant, tokenEndpoint: try metadata.endpoint(.token), client: client)
        request.scopeSeparator = scopeSeparator
        return try await client.send(proving: nil, using: transport, request.urlRequest) { data, response in
            let received = HTTPResponse(data, response)
            let object = try received.object()
            // The `token_type` is not read: it is `N_A` for a token that is no access token (RFC 8693 section 2.2.1).
            let type = try received.requiredString("issued_token_type", in: object)
            guard type == TokenTypeIdentifier.identityAssertion.rawValue else {
                throw received.unusable(.invalidMember("issued_token_type"))
            }
            return Secret(try received.requiredString("access_token", in: object))
        }
    }
}

extension OAuthSessionProvider: IdentityAsserting {
    package func assertion(
        of account: String?, to audience: String, for resource: String?, scopes: [String]
    ) async throws -> Secret {
        var id = account.map { AccountID(account: $0, realm: sessions.realm) }
        if id == nil { id = try await silentAccount(in: CallerContext()).account }
        let acting = id ?? AccountID(account: "", realm: sessions.realm)
        var credential = try await sessions.credential(for: acting, scopes: [])
        let expiry = credential.idToken.flatMap { try? JSONWebToken($0) }?.expiresAt
        if let expiry, expiry <= environment.time.now {
            credential = try await sessions.credential(
                for: acting, scopes: [], replacing: credential.accessToken.reveal())
        }
        guard let idToken = credential.idToken else { throw OAuthError.invalidIDToken(.missing) }
        return try await relyingParty(of: credential)
            .identityAssertion(from: idToken, to: audience, for: resource, scopes: scopes)
    }
}

/// The provider that ``WorkloadGrant/identityAssertion(provider:account:)`` names is missing, or cannot issue assertions.
struct MissingAssertionProviderError: IdentityFailure {
    let name: String

    let failureCode = "identity_provider_missing"
    let failureClass = FailureClass.definitive

    var message: String {
        "There is no provider called \"\(sanitized(name))\" whose server vouches for its accounts. Name one of the type "
            + "openid-connect or oauth2."
    }
}
