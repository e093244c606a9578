/// The `error` of an OAuth response: RFC 6749 sections 4.1.2.1 and 5.2 and the registry that grew from them.
public struct OAuthErrorCode: OpenEnum {
    /// The value as it is on the wire, also one that this version does not know.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A parameter is missing, repeated or wrong (RFC 6749).
    package static let invalidRequest: OAuthErrorCode = "invalid_request"
    /// The client is unknown or failed to authenticate (RFC 6749).
    package static let invalidClient: OAuthErrorCode = "invalid_client"
    /// The code or refresh token is wrong, used, expired or revoked (RFC 6749).
    package static let invalidGrant: OAuthErrorCode = "invalid_grant"
    /// The client may not use this grant (RFC 6749).
    package static let unauthorizedClient: OAuthErrorCode = "unauthorized_client"
    /// The server does not know the grant (RFC 6749).
    package static let unsupportedGrantType: OAuthErrorCode = "unsupported_grant_type"
    /// The scope is unknown or too wide (RFC 6749).
    package static let invalidScope: OAuthErrorCode = "invalid_scope"
    /// The person or the server denied the request (RFC 6749).
    package static let accessDenied: OAuthErrorCode = "access_denied"
    /// The server does not support the response type (RFC 6749).
    package static let unsupportedResponseType: OAuthErrorCode = "unsupported_response_type"
    /// The server failed (RFC 6749).
    package static let serverError: OAuthErrorCode = "server_error"
    /// The server is busy or being maintained (RFC 6749).
    package static let temporarilyUnavailable: OAuthErrorCode = "temporarily_unavailable"
    /// The access token is wrong, expired or revoked (RFC 6750).
    package static let invalidToken: OAuthErrorCode = "invalid_token"
    /// The access token lacks a scope (RFC 6750).
    public static let insufficientScope: OAuthErrorCode = "insufficient_scope"
    /// The server does not revoke this kind of token (RFC 7009).
    package static let unsupportedTokenType: OAuthErrorCode = "unsupported_token_type"
    /// The resource is unknown (RFC 8707).
    package static let invalidTarget: OAuthErrorCode = "invalid_target"
    /// A redirect URI is not accepted for a registration (RFC 7591).
    package static let invalidRedirectURI: OAuthErrorCode = "invalid_redirect_uri"
    /// Something a client says of itself is not accepted (RFC 7591).
    package static let invalidClientMetadata: OAuthErrorCode = "invalid_client_metadata"
    /// The person has not decided yet (RFC 8628).
    package static let authorizationPending: OAuthErrorCode = "authorization_pending"
    /// The client polls too fast (RFC 8628).
    package static let slowDown: OAuthErrorCode = "slow_down"
    /// The device code expired (RFC 8628).
    package static let expiredToken: OAuthErrorCode = "expired_token"
    /// The hint names no person (OpenID Connect CIBA Core section 13).
    package static let unknownUser: OAuthErrorCode = "unknown_user_id"
    /// The DPoP proof is wrong (RFC 9449).
    package static let invalidDPoPProof: OAuthErrorCode = "invalid_dpop_proof"
    /// The DPoP proof lacks the server's nonce (RFC 9449).
    package static let useDPoPNonce: OAuthErrorCode = "use_dpop_nonce"
    /// The sign-in is too weak or too old for the resource (RFC 9470).
    package static let insufficientUserAuthentication: OAuthErrorCode = "insufficient_user_authentication"
    /// A page would have to be shown (OpenID Connect Core section 3.1.2.6).
    package static let interactionRequired: OAuthErrorCode = "interaction_required"
    /// The person would have to sign in (OpenID Connect Core section 3.1.2.6).
    package static let loginRequired: OAuthErrorCode = "login_required"
    /// The person would have to choose a session (OpenID Connect Core section 3.1.2.6).
    package static let accountSelectionRequired: OAuthErrorCode = "account_selection_required"
    /// The person would have to consent (OpenID Connect Core section 3.1.2.6).
    package static let consentRequired: OAuthErrorCode = "consent_required"
}
