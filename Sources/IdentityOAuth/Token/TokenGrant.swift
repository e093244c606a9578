import Foundation
import IdentityKit

/// The grant of a token request: its type and parameters. A static function creates the grant of each standard type.
package struct TokenGrant: Sendable {
    package let grantType: GrantType
    /// The grant's own parameters, without `grant_type` and `scope`.
    let fields: [FormField]
    /// Whether the token request contains the scopes. `false` if the request that started the flow contained them, as for an
    /// authorization code or a device code. With a device code, the token request repeats the scopes only for a server that has
    /// its own name for the parameter `scope`.
    let sendsScopes: Bool
    /// The scopes that count as granted if the response has no `scope`; `nil` to keep those of the session.
    let requestedScopes: [String]?
    /// Whether the grant is a refresh token. The refresh token is spent when the response arrives, so the new tokens should be
    /// used in spite of faults of the response.
    var isRefresh: Bool { grantType == .refreshToken }
    /// The faults that a response may have and still be used: all faults for a refresh, and those of
    /// ``ResponseTolerance/delivery`` for any other grant.
    var tolerance: ResponseTolerance { isRefresh ? .everything : .delivery }

    /// Creates a grant of any type but `password`.
    /// - Parameters:
    ///   - grantType: the value of the parameter `grant_type`.
    ///   - fields: the grant's own parameters, without `grant_type` and `scope`.
    ///   - scopes: the requested scopes, which are also the granted ones if the response has no `scope` (RFC 6749
    ///     section 5.1).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an invalid scope, and for the grant `password`, which must not
    ///   be used (RFC 9700 section 2.4).
    package init(_ grantType: GrantType, fields: [FormField], scopes: [String]? = nil) throws {
        guard grantType.rawValue != "password" else {
            throw OAuthError.invalidSetting(.invalidParameter("grant_type"))
        }
        _ = try scopeParameter(scopes ?? [])
        self.init(grantType, fields: fields, sendsScopes: true, requestedScopes: scopes)
    }

    private init(_ grantType: GrantType, fields: [FormField], sendsScopes: Bool, requestedScopes: [String]?) {
        self.grantType = grantType
        self.fields = fields
        self.sendsScopes = sendsScopes
        self.requestedScopes = requestedScopes
    }

    /// Creates the grant of an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
    /// - Parameters:
    ///   - code: the authorization code from `AuthorizationResponse.authorizationCode(for:at:)`.
    ///   - pending: the flow of the authorization code, which supplies the redirect URI, the code verifier and the scopes.
    package static func authorizationCode(_ code: Secret, pending: PendingAuthorization) -> TokenGrant {
        TokenGrant(
            .authorizationCode,
            fields: FormField.list([
                "code": code.reveal(), "redirect_uri": pending.redirectURI?.absoluteString,
                "code_verifier": pending.usesCodeChallenge ? pending.codeVerifier.secret.reveal() : nil,
            ]),
            sendsScopes: false, requestedScopes: pending.scopes)
    }

    /// Creates the grant of a refresh token (RFC 6749 section 6).
    /// - Parameters:
    ///   - token: the refresh token. It may be spent by this request even when no response arrives.
    ///   - scopes: some of the granted scopes; `nil` for all of them.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is empty or has a character that RFC 6749 forbids.
    package static func refreshToken(_ token: Secret, scopes: [String]? = nil) throws -> TokenGrant {
        try TokenGrant(.refreshToken, fields: [FormField("refresh_token", token.reveal())], scopes: scopes)
    }

    /// Creates the grant of a client that requests a token for itself, not for a person (RFC 6749 section 4.4).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is empty or has a character that RFC 6749 forbids.
    package static func clientCredentials(scopes: [String]) throws -> TokenGrant {
        try TokenGrant(.clientCredentials, fields: [], scopes: scopes)
    }

    /// Creates the grant of a JWT about the person or program that the access token is for (RFC 7523 section 2.1).
    /// - Parameters:
    ///   - assertion: the JWT, signed by an issuer that the server trusts.
    ///   - scopes: the requested scopes.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is empty or has a character that RFC 6749 forbids.
    package static func jwtBearer(_ assertion: Secret, scopes: [String]) throws -> TokenGrant {
        try TokenGrant(.jwtBearer, fields: [FormField("assertion", assertion.reveal())], scopes: scopes)
    }

    /// Creates the grant of an access token that a caller sent to this program, to call another API on the caller's behalf.
    /// The form is that of Microsoft Entra ID: an assertion (RFC 7523 section 2.1) with an additional parameter.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is empty or has a character that RFC 6749 forbids.
    static func onBehalfOf(_ token: Secret, scopes: [String]) throws -> TokenGrant {
        let use = FormField("requested_token_use", "on_behalf_of")
        return try TokenGrant(.jwtBearer, fields: [FormField("assertion", token.reveal()), use], scopes: scopes)
    }

    /// Creates the grant of a device code, for polling while the person signs in on another device (RFC 8628 section 3.4).
    /// - Parameters:
    ///   - deviceCode: the device code from the device authorization response.
    ///   - scopes: the scopes of the device authorization request.
    package static func deviceCode(_ deviceCode: Secret, scopes: [String]) -> TokenGrant {
        TokenGrant(
            .deviceCode, fields: [FormField("device_code", deviceCode.reveal())], sendsScopes: false,
            requestedScopes: scopes)
    }

    /// Creates the grant of a sign-in that the person confirms on their own device (OpenID Connect CIBA Core section 10.1).
    /// - Parameters:
    ///   - requestID: the `auth_req_id` from the backchannel authentication response.
    ///   - scopes: the scopes of the backchannel authentication request.
    package static func backchannel(_ requestID: Secret, scopes: [String]) -> TokenGrant {
        TokenGrant(
            .backchannel, fields: [FormField("auth_req_id", requestID.reveal())], sendsScopes: false,
            requestedScopes: scopes)
    }

    /// Creates the grant that exchanges one token for another (RFC 8693 section 2.1).
    /// - Parameters:
    ///   - subjectToken: the token of the person or program that the new one is about.
    ///   - subjectTokenType: the kind of the subject token.
    ///   - actorToken: the token of the party that acts for the subject, with its type; `nil` if the subject itself acts.
    ///   - requestedTokenType: the kind of token to issue; `nil` leaves it to the server.
    ///   - audiences: the names of the services the token is for.
    ///   - resources: the addresses of the services the token is for.
    ///   - scopes: the requested scopes; `nil` leaves them to the server.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a scope that is empty or has a character that RFC 6749 forbids.
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
