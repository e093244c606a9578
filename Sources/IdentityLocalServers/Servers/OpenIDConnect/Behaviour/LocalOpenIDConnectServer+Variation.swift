extension LocalOpenIDConnectServer {
    /// A variation that real servers have. The RFCs allow most variations, and clients must handle all of them.
    ///
    /// "Core" is OpenID Connect Core 1.0, "Discovery" OpenID Connect Discovery 1.0.
    public enum Variation: String, Sendable, CaseIterable {
        // MARK: The token response

        /// The `token_type` is in lower case (RFC 6749 section 5.1: case-insensitive).
        case lowercaseTokenType
        /// The token response has no `scope`, so the granted scopes are the requested ones (RFC 6749 section 5.1).
        case noScope
        /// The server grants one scope less than requested, but always keeps `openid` (RFC 6749 section 3.3).
        case narrowedScope
        /// The server returns the scopes in reverse order (RFC 6749 section 3.3: the order does not matter).
        case reorderedScope
        /// The token response has no `expires_in` (RFC 6749 section 5.1: recommended).
        case noLifetime
        /// The `expires_in` is a string of digits instead of a number.
        case lifetimeAsText
        /// The `expires_in` is a word instead of a number. Clients treat an unreadable value as absent.
        case lifetimeAsWord
        /// The `expires_in` is too large for any date.
        case absurdLifetime
        /// A refresh returns no refresh token, and the old one stays valid (RFC 6749 section 6).
        case noNewRefreshToken
        /// A refresh returns no ID token (Core section 12.2).
        case noRefreshedIDToken
        /// The token response has undefined members, which clients must ignore (RFC 6749 section 5.1).
        case extraTokenMembers
        /// The token response after a sign-in has no refresh token, as at servers that issue only one refresh token per
        /// user and client. Responses to a refresh are unaffected.
        case noFirstRefreshToken
        /// The authorization code grant returns a refresh token only with the scope `offline_access`, the default of
        /// node-oidc-provider.
        case refreshTokenForOfflineAccessOnly
        /// The `scope` of the token response has Google's own names for `email` and `profile`.
        case aliasedScope

        /// The token response is form-encoded instead of JSON (against RFC 6749 section 5.1).
        case formEncodedTokens
        /// The members of the token response are inside the member `authed_user`, as at Slack.
        case nestedTokens
        /// Scopes are separated by commas, in requests and responses (against RFC 6749 section 3.3).
        case commaSeparatedScopes
        /// The `scope` of the token response is an array, as at Twitch (against RFC 6749 section 5.1).
        case listedScopes
        /// The token response has `refresh_token_expires_in` beside a refresh token, as at GitHub and LinkedIn.
        case refreshTokenLifetime
        /// The token response identifies the person in `owner.user`, as at Notion.
        case ownerInTokens

        /// The issuer in tokens contains the person's tenant. The issuer in metadata and keys contains a placeholder
        /// instead, as at Microsoft Entra ID with the tenant `organizations` (against Discovery section 4.3). Callbacks
        /// have no `iss`.
        case tenantIssuers

        // MARK: Errors

        /// Errors of the token endpoint have the status 200, as at GitHub and Slack (against RFC 6749 section 5.2).
        case errorsWithStatusOK
        /// The errors that are usually JSON have neither a body nor a content type.
        case emptyErrorBody
        case htmlErrors
        /// The JSON of an error has `error`, but no `error_description` (RFC 6749 section 5.2: optional).
        case errorWithoutDescription
        /// When the server refuses a token, the `WWW-Authenticate` header has parameters, but no scheme (against RFC
        /// 9110 section 11.6.1).
        case challengeWithoutScheme
        /// The error for a refresh token that is unknown, expired, spent or revoked is `invalid_request`, as in LemonLDAP::NG.
        case deadRefreshTokenIsInvalidRequest
        /// The response to a refresh token that is unknown, expired, spent or revoked is a 401 without a body.
        case deadRefreshTokenIsUnauthorized
        /// The error for a refresh token that is unknown, expired, spent or revoked is `invalid_grant` with the status 500.
        case deadRefreshTokenIsServerError
        /// The server refuses a revocation by a public client with 401 (against RFC 7009 section 2.1).
        case refusesPublicRevocation

        // MARK: ID tokens

        /// The `aud` of the ID token is an array with one client (RFC 7519 section 4.1.3).
        case audienceArray
        /// The dates in the ID token have a fraction of a second (RFC 7519 section 2, NumericDate).
        case floatDates
        /// The claims of `profile` and `email` are only in user info (Core section 5.4).
        case claimsInUserInfoOnly
        /// The ID token has no `at_hash` (Core section 3.1.3.6: optional).
        case noAccessTokenHash
        /// The `alg` for Ed25519 signatures is the fully specified `Ed25519` instead of `EdDSA` (RFC 9864 section 2.2). A
        /// server with another algorithm ignores this variation.
        case algorithmNamedEd25519
        /// The server's clock is an hour ahead: in ID tokens, in the `Date` header, and when it checks assertions, DPoP
        /// proofs and signed authorization requests.
        case clockAhead
        /// The server's clock is an hour behind: in ID tokens, in the `Date` header, and when it checks assertions,
        /// DPoP proofs and signed authorization requests.
        case clockBehind

        // MARK: Keys

        /// Neither the ID token nor the only key of the key set has a `kid` (Core section 10.1).
        case noKeyID
        /// The key set has several keys of the same type, which differ in `kid` (Core section 10.1).
        case severalKeysOfOneType
        /// The keys of the key set have no `alg` (RFC 7517 section 4.4: optional).
        case keysWithoutAlgorithm
        /// The keys of the key set have no `use` (RFC 7517 section 4.2: optional).
        case keysWithoutUse
        /// The `use` of each key in the key set is `null`.
        case keysWithNullUse
        /// The base64url members of the keys, such as `n` and `e`, end with `==` (against RFC 7518 section 2).
        case paddedKeys
        /// The key set contains every key twice.
        case repeatedKeys
        /// A key for encryption comes before the signing keys in the key set (RFC 7517 section 4.2).
        case encryptionKeys
        /// The key set begins with a key of an unknown type and two incomplete keys, which clients should ignore (RFC 7517
        /// section 5).
        case unknownKeys
        /// The server signs every ID token with a new key, which an earlier copy of the key set lacks (Core section 10.1.1).
        case rotatesBeforeSigning

        // MARK: Discovery

        /// The server has the RFC 8414 metadata, but no OpenID Connect metadata.
        case onlyOAuthMetadata
        /// The revocation, introspection, device and pushed authorization endpoints are only in the RFC 8414 metadata.
        case endpointsOnlyInOAuthMetadata
        /// The server has only the RFC 8414 metadata, and the well-known path follows the issuer, as for OpenID Connect
        /// metadata.
        case onlyOAuthMetadataBelowIssuer
        /// Four endpoints that a sign-in does not need are invalid: an empty string, a relative address, a value that is not a
        /// string, and a plain `http` address on another host.
        case invalidOptionalEndpoints
        /// `expires_in` and `interval` of a device authorization response are strings of digits.
        case deviceTimesAsText
        /// The server has the OpenID Connect metadata, but no RFC 8414 metadata.
        case onlyOpenIDConfiguration
        /// The issuer begins with `https`, although the server uses `http`.
        case httpsIssuer

        /// The server refuses requests with a code challenge (against RFC 9700 section 2.1.1).
        case noCodeChallenge

        // MARK: Registration

        /// The registration response has no `registration_access_token` and no `registration_client_uri`, so the client cannot
        /// read, change or delete its registration (RFC 7592 is optional).
        case registrationUnmanaged

        // MARK: Callback and user info

        /// The callback has undefined parameters, which clients must ignore (RFC 6749 section 4.1.2).
        case extraCallbackParameters
        /// The callback after a person's first consent to a client has the name and e-mail address in the parameter `user`.
        /// Authorization requests for the scopes `name`, `profile` or `email` must use `form_post`. Apple has both rules.
        case personInForm
        /// A callback with an error has no `iss`, although the metadata announces `iss` (against RFC 9207 section 2).
        case errorCallbackWithoutIssuer
        /// User info is a signed JWT instead of JSON (Core section 5.3.2).
        case signedUserInfo
    }
}
