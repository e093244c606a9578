extension LocalOpenIDConnectServer {
    /// A variation that real servers have. The RFCs allow most of them, and clients must handle them.
    ///
    /// "Core" is OpenID Connect Core 1.0.
    public enum Variation: String, Sendable, CaseIterable {
        // MARK: The token response

        /// `token_type` in lower case (RFC 6749 section 5.1: case-insensitive).
        case lowercaseTokenType
        /// No `scope`: the requested scopes were granted (RFC 6749 section 5.1).
        case noScope
        /// Fewer scopes than requested; `openid` stays (RFC 6749 section 3.3).
        case narrowedScope
        /// The scopes in another order (RFC 6749 section 3.3: the order does not matter).
        case reorderedScope
        /// No `expires_in` (RFC 6749 section 5.1: recommended).
        case noLifetime
        /// `expires_in` as a string of digits.
        case lifetimeAsText
        /// `expires_in` is a word instead of a number; an unreadable value counts as absent.
        case lifetimeAsWord
        /// `expires_in` is too large for any date.
        case absurdLifetime
        /// A refresh returns no refresh token, so that the old one stays (RFC 6749 section 6).
        case noNewRefreshToken
        /// A refresh returns no ID token (Core section 12.2).
        case noRefreshedIDToken
        /// The token response has undefined members (RFC 6749 section 5.1: ignored).
        case extraTokenMembers
        /// Only a refresh returns a refresh token, as at servers that issue one per user and client.
        case noFirstRefreshToken
        /// No refresh token without the scope `offline_access`, the default of node-oidc-provider.
        case refreshTokenForOfflineAccessOnly
        /// The values of `scope` have Google's own names for `email` and `profile`.
        case aliasedScope

        /// The token response is a form (against RFC 6749 section 5.1).
        case formEncodedTokens
        /// The token response is a member of the document, `authed_user`, as at Slack.
        case nestedTokens
        /// Scopes are separated by commas, in requests and responses (against RFC 6749 section 3.3).
        case commaSeparatedScopes
        /// `scope` of a token response is a list, as at Twitch (against RFC 6749 section 5.1).
        case listedScopes
        /// The token response has `refresh_token_expires_in`, as at GitHub and LinkedIn.
        case refreshTokenLifetime
        /// The token response identifies the person in `owner.user`, as at Notion.
        case ownerInTokens

        /// The issuer in tokens contains the person's tenant, and that in metadata and keys a placeholder, as at
        /// Microsoft Entra ID's `organizations` (against Discovery section 4.3).
        case tenantIssuers

        // MARK: Errors

        /// Errors of the token endpoint have the status 200, as at GitHub and Slack (against RFC 6749 section 5.2).
        case errorsWithStatusOK
        /// Error responses have only a status, without body and content type.
        case emptyErrorBody
        case htmlErrors
        /// `error` without `error_description` (RFC 6749 section 5.2: optional).
        case errorWithoutDescription
        /// `WWW-Authenticate` has parameters and no scheme (against RFC 9110 section 11.6.1).
        case challengeWithoutScheme
        /// The error for a dead refresh token is `invalid_request`, as in LemonLDAP::NG.
        case deadRefreshTokenIsInvalidRequest
        /// A dead refresh token gets a 401 without a body.
        case deadRefreshTokenIsUnauthorized
        /// The error for a dead refresh token is `invalid_grant` with the status 500.
        case deadRefreshTokenIsServerError
        /// Revocation by a public client is refused with 401 (against RFC 7009 section 2.1).
        case refusesPublicRevocation

        // MARK: ID tokens

        /// `aud` is an array of one (RFC 7519 section 4.1.3).
        case audienceArray
        /// Dates have a fraction (RFC 7519 section 2, NumericDate).
        case floatDates
        /// The claims of `profile` and `email` are only in user info (Core section 5.4).
        case claimsInUserInfoOnly
        /// No `at_hash` (Core section 3.1.3.6: optional).
        case noAccessTokenHash
        /// `alg` is the fully specified `Ed25519` instead of `EdDSA` (RFC 9864 section 2.2). Has no effect for other
        /// algorithms.
        case algorithmNamedEd25519
        /// The server's clock is an hour ahead, in tokens and in `Date`.
        case clockAhead
        /// The server's clock is an hour behind, in tokens and in `Date`.
        case clockBehind

        // MARK: Keys

        /// Neither the token nor the only key of the set has a `kid` (Core section 10.1).
        case noKeyID
        /// Several keys of one type, distinguished by `kid` (Core section 10.1).
        case severalKeysOfOneType
        /// No `alg` in the keys (RFC 7517 section 4.4: optional).
        case keysWithoutAlgorithm
        /// No `use` in the keys (RFC 7517 section 4.2: optional).
        case keysWithoutUse
        /// `use` is `null` in the keys.
        case keysWithNullUse
        /// The numbers of the keys are padded with `=` (against RFC 7518 section 2).
        case paddedKeys
        /// Every key is in the set twice.
        case repeatedKeys
        /// A key for encryption comes first in the set (RFC 7517 section 4.2).
        case encryptionKeys
        /// Keys of unknown types, and broken ones, come first in the set (RFC 7517 section 5: ignored).
        case unknownKeys
        /// Every ID token is signed by a new key, which a key set fetched before lacks (Core section 10.1.1).
        case rotatesBeforeSigning

        // MARK: Discovery

        /// Only the RFC 8414 metadata exists, not that of OpenID Connect.
        case onlyOAuthMetadata
        /// Only the RFC 8414 metadata has the revocation, introspection, device and pushed authorization endpoints.
        case endpointsOnlyInOAuthMetadata
        /// Only the RFC 8414 metadata exists, at an address below the issuer, like that of OpenID Connect.
        case onlyOAuthMetadataBelowIssuer
        /// Endpoints that a sign-in does not need are empty, relative or not a text.
        case invalidOptionalEndpoints
        /// `expires_in` and `interval` of a device authorization response are strings of digits.
        case deviceTimesAsText
        /// Only the OpenID Connect metadata exists.
        case onlyOpenIDConfiguration
        /// The issuer is `https`, although the server uses `http`.
        case httpsIssuer

        /// The server refuses requests with a code challenge (against RFC 9700 section 2.1.1).
        case noCodeChallenge

        // MARK: Registration

        /// A registration cannot be read, changed or deleted (RFC 7592 is optional).
        case registrationUnmanaged

        // MARK: Callback and user info

        /// The callback has undefined parameters (RFC 6749 section 4.1.2: ignored).
        case extraCallbackParameters
        /// The first callback has name and e-mail address in the parameter `user`, and requests for these scopes must
        /// use `form_post`, as at Apple.
        case personInForm
        /// Errors in the callback have no `iss`, although the metadata announces it (against RFC 9207 section 2).
        case errorCallbackWithoutIssuer
        /// User info is a signed JWT (Core section 5.3.2).
        case signedUserInfo
    }
}
