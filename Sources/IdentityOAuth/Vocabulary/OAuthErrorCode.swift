/// The `error` of an OAuth response (RFC 6749 sections 4.1.2.1 and 5.2). Extensions of OAuth and OpenID Connect define
/// additional codes.
public struct OAuthErrorCode: OpenEnum {
    /// The value on the wire, which may be unknown to this version of the library.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A parameter is missing, repeated or wrong (RFC 6749).
    package static let invalidRequest: OAuthErrorCode = "invalid_request"
    /// The client is unknown or failed to authenticate (RFC 6749).
    package static let invalidClient: OAuthErrorCode = "invalid_client"
    /// The authorization code, refresh token or other grant is invalid, expired or revoked, or was issued to another
    /// client or redirect URI (RFC 6749 section 5.2).
    package static let invalidGrant: OAuthErrorCode = "invalid_grant"
    /// The client may not use this grant type or response type (RFC 6749).
    package static let unauthorizedClient: OAuthErrorCode = "unauthorized_client"
    /// The server does not support the grant type (RFC 6749).
    package static let unsupportedGrantType: OAuthErrorCode = "unsupported_grant_type"
    /// A requested scope is unknown or malformed, or exceeds the granted scope (RFC 6749).
    package static let invalidScope: OAuthErrorCode = "invalid_scope"
    /// The person or the server denied the request (RFC 6749).
    package static let accessDenied: OAuthErrorCode = "access_denied"
    /// The server does not support the response type (RFC 6749).
    package static let unsupportedResponseType: OAuthErrorCode = "unsupported_response_type"
    /// The server failed. A redirect needs this error code, because it cannot have the HTTP status 500 (RFC 6749).
    package static let serverError: OAuthErrorCode = "server_error"
    /// The server is busy or being maintained (RFC 6749).
    package static let temporarilyUnavailable: OAuthErrorCode = "temporarily_unavailable"
    /// The access token is wrong, expired or revoked (RFC 6750).
    package static let invalidToken: OAuthErrorCode = "invalid_token"
    /// The access token lacks a scope (RFC 6750).
    package static let insufficientScope: OAuthErrorCode = "insufficient_scope"
    /// The server does not revoke this kind of token (RFC 7009).
    package static let unsupportedTokenType: OAuthErrorCode = "unsupported_token_type"
    /// The server does not issue tokens for the requested resource or audience (RFC 8707, RFC 8693 section 2.2.2).
    package static let invalidTarget: OAuthErrorCode = "invalid_target"
    /// The server does not accept a redirect URI in a client registration (RFC 7591).
    package static let invalidRedirectURI: OAuthErrorCode = "invalid_redirect_uri"
    /// The server does not accept a value of the client metadata in a registration (RFC 7591).
    package static let invalidClientMetadata: OAuthErrorCode = "invalid_client_metadata"
    /// The person has not yet approved or denied the sign-in, so the client polls again (RFC 8628).
    package static let authorizationPending: OAuthErrorCode = "authorization_pending"
    /// The client polls too fast (RFC 8628).
    package static let slowDown: OAuthErrorCode = "slow_down"
    /// The device code (RFC 8628) or the `auth_req_id` (OpenID Connect CIBA Core section 11) has expired.
    package static let expiredToken: OAuthErrorCode = "expired_token"
    /// The server finds no person for the hint in the request (OpenID Connect CIBA Core section 13).
    package static let unknownUser: OAuthErrorCode = "unknown_user_id"
    /// The DPoP proof is wrong (RFC 9449).
    package static let invalidDPoPProof: OAuthErrorCode = "invalid_dpop_proof"
    /// The DPoP proof lacks the server's nonce (RFC 9449).
    package static let useDPoPNonce: OAuthErrorCode = "use_dpop_nonce"
    /// The sign-in is too weak or too old for the resource (RFC 9470).
    package static let insufficientUserAuthentication: OAuthErrorCode = "insufficient_user_authentication"
    /// The server would have to show a page, but the request has `prompt=none` (OpenID Connect Core section 3.1.2.6).
    package static let interactionRequired: OAuthErrorCode = "interaction_required"
    /// The person would have to sign in, but the request has `prompt=none` (OpenID Connect Core section 3.1.2.6).
    package static let loginRequired: OAuthErrorCode = "login_required"
    /// The person would have to choose a session, but the request has `prompt=none` (OpenID Connect Core section 3.1.2.6).
    package static let accountSelectionRequired: OAuthErrorCode = "account_selection_required"
    /// The person would have to consent, but the request has `prompt=none` (OpenID Connect Core section 3.1.2.6).
    package static let consentRequired: OAuthErrorCode = "consent_required"
}
