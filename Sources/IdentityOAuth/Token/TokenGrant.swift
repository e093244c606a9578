import Foundation
import IdentityKit

/// The grant of a token request, one factory for each type.
package struct TokenGrant: Sendable {
    package let grantType: GrantType
    let fields: [FormField]
    /// The scopes that a response without `scope` means; `nil` to leave them as before.
    let requestedScopes: [String]?
    /// Whether the grant is a refresh token, which is spent when the response arrives, so that the new tokens should be
    /// used if at all possible.
    var isRefresh: Bool { grantType == .refreshToken }
    /// The faults that a response may have.
    var tolerance: ResponseTolerance { isRefresh ? .everything : .delivery }

    /// A grant of any type.
    /// - Parameters:
    ///   - grantType: the `grant_type`.
    ///   - fields: the grant's own parameters.
    ///   - scopes: the requested scopes, which are also the granted ones if the response has no `scope` (RFC 6749
    ///     section 5.1).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an invalid scope, and for the grant `password`, which must not
    ///   be used (RFC 9700 section 2.4).
    package init(_ grantType: GrantType, fields: [FormField], scopes: [String]? = nil) throws {
        guard grantType.rawValue != "password" else {
            throw OAuthError.invalidSetting(.invalidParameter("grant_type"))
        }
        self.init(grantType, fields: fields, scopeField: try scopeParameter(scopes ?? []), requestedScopes: scopes)
    }

    private init(_ grantType: GrantType, fields: [FormField], scopeField: String?, requestedScopes: [String]?) {
        self.grantType = grantType
        self.fields = fields + FormField.list(["scope": scopeField])
        self.requestedScopes = requestedScopes
    }

    /// The code of a finished sign-in (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    /// - Parameters:
    ///   - code: from `AuthorizationResponse.authorizationCode(for:at:)`.
    ///   - pending: the flow the code belongs to.
    package static func authorizationCode(_ code: Secret, pending: PendingAuthorization) -> TokenGrant {
        TokenGrant(
            .authorizationCode,
            fields: FormField.list([
                "code": code.reveal(), "redirect_uri": pending.redirectURI?.absoluteString,
                "code_verifier": pending.usesCodeChallenge ? pending.codeVerifier.secret.reveal() : nil,
            ]),
            scopeField: nil, requestedScopes: pending.scopes)
    }

    /// A refresh token (RFC 6749 section 6).
    /// - Parameters:
    ///   - token: the refresh token. It may be spent by this request even when no response arrives.
    ///   - scopes: some of the granted scopes; `nil` for all of them.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is no scope token.
    package static func refreshToken(_ token: Secret, scopes: [String]? = nil) throws -> TokenGrant {
        try TokenGrant(.refreshToken, fields: [FormField("refresh_token", token.reveal())], scopes: scopes)
    }

    /// The client's own credentials (RFC 6749 section 4.4).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is no scope token.
    package static func clientCredentials(scopes: [String]) throws -> TokenGrant {
        try TokenGrant(.clientCredentials, fields: [], scopes: scopes)
    }

    /// A signed token about the person or program that the access token is for (RFC 7523 section 2.1).
    /// - Parameters:
    ///   - assertion: the token, signed by an issuer that the server trusts.
    ///   - scopes: the requested scopes.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is no scope token.
    package static func jwtBearer(_ assertion: Secret, scopes: [String]) throws -> TokenGrant {
        try TokenGrant(.jwtBearer, fields: [FormField("assertion", assertion.reveal())], scopes: scopes)
    }

    /// A received token, to be exchanged for one on behalf of its sender in Microsoft Entra ID's way: an assertion (RFC
    /// 7523 section 2.1) with an additional parameter.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is no scope token.
    static func onBehalfOf(_ token: Secret, scopes: [String]) throws -> TokenGrant {
        let use = FormField("requested_token_use", "on_behalf_of")
        return try TokenGrant(.jwtBearer, fields: [FormField("assertion", token.reveal()), use], scopes: scopes)
    }

    /// A device code whose user code a person is entering (RFC 8628 section 3.4).
    /// - Parameters:
    ///   - deviceCode: from the device authorization response.
    ///   - scopes: the scopes of that request.
    package static func deviceCode(_ deviceCode: Secret, scopes: [String]) -> TokenGrant {
        TokenGrant(
            .deviceCode, fields: [FormField("device_code", deviceCode.reveal())], scopeField: nil,
            requestedScopes: scopes)
    }

    /// A sign-in that a person confirms on a device of theirs (OpenID Connect CIBA Core section 10.1).
    /// - Parameters:
    ///   - requestID: from the authentication response.
    ///   - scopes: the scopes of that request.
    package static func backchannel(_ requestID: Secret, scopes: [String]) -> TokenGrant {
        TokenGrant(
            .backchannel, fields: [FormField("auth_req_id", requestID.reveal())], scopeField: nil,
            requestedScopes: scopes)
    }

    /// Exchanges another token (RFC 8693 section 2.1).
    /// - Parameters:
    ///   - subjectToken: the token of the person or program that the new one is about.
    ///   - subjectTokenType: the kind of the subject token.
    ///   - actorToken: the token of the acting party, with its type.
    ///   - requestedTokenType: the kind of token to issue; `nil` leaves it to the server.
    ///   - audiences: the names of the services the token is for.
    ///   - resources: the addresses of the services the token is for.
    ///   - scopes: the requested scopes; `nil` leaves them to the server.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is no scope token.
    package static func tokenExchange(
        subjectToken: Secret, subjectTokenType: TokenTypeIdentifier,
        actorToken: (token: Secret, type: TokenTypeIdentifier)? = nil,
        requestedTokenType: TokenTypeIdentifier? = nil, audiences: [String] = [], resources: [String] = [],
        scopes: [String]? = nil
    ) throws -> TokenGrant {
        var fields = FormField.list([
            "subject_token": subjectToken.reveal(), "subject_token_type": subjectTokenType.rawValue,
            "actor_token": actorToken?.token.reveal(), "actor_token_type": actorToken?.type.rawValue,
            "requested_token_type": requestedTokenType?.rawValue,
        ])
        fields += audiences.map { FormField("audience", $0) } + resources.map { FormField("resource", $0) }
        return try TokenGrant(.tokenExchange, fields: fields, scopes: scopes)
    }
}
