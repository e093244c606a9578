extension LocalOpenIDConnectServer {
    /// A rule that the protected resource at `/api/notes` can break, or a variation of it. Clients must notice each of them.
    public enum ResourceMisbehaviour: String, Sendable, CaseIterable {
        /// The resource has no metadata (RFC 9728 section 3).
        case resourceNotDescribed
        /// The metadata is an HTML page (RFC 9728 section 3.2).
        case resourceMetadataIsHTML
        /// The metadata is about another resource (RFC 9728 section 3.3).
        case resourceOfAnother
        /// The metadata does not name its resource (RFC 9728 section 2).
        case resourceUnnamed
        /// The metadata endpoint redirects instead of responding with 200 (RFC 9728 section 3.2).
        case resourceMetadataRedirects
        /// The metadata contains `resource` twice (RFC 8259 section 4).
        case resourceNamedTwice
        /// The metadata is too large to read; an attacker may have written it (RFC 9728 section 7.7).
        case resourceMetadataOversized
        /// The authorization server does not issue tokens for the resource (RFC 8707 section 2).
        case resourceIsInvalidTarget
        /// The metadata names no authorization server (RFC 9728 section 2).
        case resourceWithoutServers
        /// The metadata names an authorization server whose metadata names another one (RFC 8414 section 3.3).
        case resourceOfForeignServer
        /// The refusal names an unsafe address of the metadata (RFC 9728 section 7.7).
        case resourceMetadataElsewhere
        /// The resource accepts tokens only in the query (RFC 9700 section 4.3.2).
        case resourceTakesQueryTokens
        /// The resource refuses every token.
        case resourceRefusesAllTokens
        /// The resource asks for more scopes, whatever was granted.
        case resourceNeverSatisfied
        /// The resource requires tokens bound to a key (RFC 9728 section 2, RFC 9449), which breaks no rule.
        case resourceRequiresBoundTokens
    }

    /// A rule that a server with ``Variation/tenantIssuers`` can break. Clients must notice each of them.
    public enum TenantMisbehaviour: String, Sendable, CaseIterable {
        /// `tid` and `iss` name different tenants.
        case wrongTenant
        case missingTenant
        /// `tid` is a path that resolves to the issuer, and not a valid name.
        case tenantWithPath
        /// The issuer contains the placeholder instead of a tenant.
        case issuerWithPlaceholder
        /// The keys belong to another tenant.
        case keyOfAnotherTenant
    }

    /// A rule of the specifications that the server can break. Clients must notice each of them.
    ///
    /// "Core" is OpenID Connect Core 1.0, "Discovery" OpenID Connect Discovery 1.0.
    public enum Misbehaviour: String, Sendable, CaseIterable {
        // MARK: Claims of the ID token

        /// `iss` is another issuer (Core section 3.1.3.7 step 2).
        case wrongIssuer
        /// No `iss` (Core section 2).
        case missingIssuer
        /// `aud` is another client (Core section 3.1.3.7 step 3).
        case wrongAudience
        /// No `aud` (Core section 2).
        case missingAudience
        /// `azp` is another client (Core section 3.1.3.7 step 5).
        case wrongAuthorizedParty
        /// `aud` has two audiences and there is no `azp` (Core section 3.1.3.7 step 4).
        case missingAuthorizedParty
        /// `nonce` is not the one of the request (Core section 3.1.3.7 step 11).
        case wrongNonce
        /// No `nonce` although the request had one (Core section 3.1.3.7 step 11).
        case missingNonce
        /// `at_hash` belongs to another access token (Core section 3.1.3.8).
        case wrongAccessTokenHash
        /// No `sub` (Core section 2).
        case missingSubject
        /// `sub` has more than 255 characters (Core section 2).
        case overlongSubject
        /// No `iat` (Core section 2).
        case missingIssuedAt
        /// `iat` lies a day ahead (RFC 7519 section 4.1.6, Core section 3.1.3.7 step 10).
        case issuedInFuture
        /// No `exp` (Core section 2).
        case missingExpiry
        /// `exp` lies an hour back (Core section 3.1.3.7 step 9).
        case expired
        /// `nbf` lies a day ahead (RFC 7519 section 4.1.5).
        case notYetValid
        /// `exp` and `iat` are strings (RFC 7519 section 2, NumericDate).
        case datesAsText
        /// No `auth_time`, although the request had `max_age` (Core section 3.1.3.7 step 13).
        case missingAuthenticationTime
        /// `auth_time` lies further back than `max_age` allows (Core section 3.1.3.7 step 13).
        case staleAuthentication
        /// No ID token although `openid` was granted (Core section 3.1.3.3).
        case missingIDToken

        // MARK: Form and signature of the ID token

        /// A bit of the signature is wrong (RFC 7515 section 5.2).
        case badSignature
        /// `alg` is `none` and the signature empty (RFC 8725 section 3.2).
        case unsignedToken
        /// Signed by HMAC with the public key as the secret (RFC 8725 section 2.1).
        case hmacWithPublicKey
        /// `alg` is not registered (RFC 7515 section 4.1.1).
        case unknownAlgorithm
        /// `crit` demands an unknown extension (RFC 7515 section 4.1.11).
        case criticalHeader
        /// A JWE in five parts (Core section 3.1.3.7 step 1: no encryption was agreed).
        case encryptedToken
        /// A JWS whose payload is the ID token as a JWS (RFC 7519 section 5.2).
        case nestedToken
        /// The claims name `sub` twice (RFC 7519 section 4).
        case duplicateClaims
        /// The header names `alg` twice (RFC 7515 section 4).
        case duplicateHeaderMembers
        /// No `kid` although the set has several keys of the type (Core section 10.1).
        case missingKeyID
        /// `kid` is a number (RFC 7515 section 4.1.4: a string).
        case numericKeyID
        /// `kid` names no key of the set (RFC 7515 section 4.1.4).
        case unknownKeyID
        /// Signed by a key that was removed from the set (Core section 10.1.1).
        case withdrawnKey
        /// Signed by a key that only the header's own `jwk` vouches for (RFC 8725 section 3.10).
        case embeddedKey
        /// The parts are padded with `=` (RFC 7515 section 2).
        case paddedBase64
        /// Two parts instead of three (RFC 7515 section 7.1).
        case truncatedToken
        /// `typ` says that it is an access token (RFC 9068 section 2.1, RFC 8725 section 3.11).
        case accessTokenAsIDToken
        /// A token of two megabytes (RFC 8725 section 2.6).
        case oversizedIDToken

        // MARK: The refreshed ID token

        /// A refreshed ID token has another `iss` (Core section 12.2).
        case refreshedIssuer
        /// A refreshed ID token has another `sub` (Core section 12.2).
        case refreshedSubject
        /// A refreshed ID token has another `aud` (Core section 12.2).
        case refreshedAudience
        /// A refreshed ID token has another `auth_time` (Core section 12.2).
        case refreshedAuthenticationTime

        // MARK: The authorization response

        /// `state` is not the one of the request (RFC 6749 section 10.12).
        case wrongCallbackState
        /// No `state` (RFC 6749 section 4.1.2).
        case missingCallbackState
        /// `state` twice (RFC 6749 section 3.1).
        case repeatedCallbackState
        /// `iss` is another issuer (RFC 9207 section 2.4).
        case wrongCallbackIssuer
        /// No `iss`, although the metadata announces it (RFC 9207 section 2.4).
        case missingCallbackIssuer
        /// Neither `code` nor `error` (RFC 6749 section 4.1.2).
        case missingCode
        /// `code` twice, two different ones (RFC 6749 section 3.1).
        case repeatedCode
        /// `code` and `error` together (RFC 6749 section 4.1.2.1).
        case codeAndError
        /// An access token in the fragment, which was not requested (RFC 9700 section 2.1.2).
        case tokensInCallback

        // MARK: The token endpoint

        /// A code works twice (RFC 6749 section 4.1.2).
        case acceptsCodeReplay
        /// The code in the callback has been used already, as after an injection (RFC 9700 section 4.5).
        case spentCode
        /// The token endpoint redirects with 307 (RFC 9700 section 4.12).
        case tokenEndpointRedirects
        /// The token endpoint responds with 200 and an HTML page (RFC 6749 section 5.1).
        case tokenEndpointAnswersHTML
        /// The token endpoint responds with 200 and an empty body (RFC 6749 section 5.1).
        case emptyTokenAnswer
        /// The JSON of the token response is cut off (RFC 8259 section 2).
        case brokenTokenJSON
        /// The token response is a JSON array instead of an object (RFC 6749 section 5.1).
        case tokenAnswerIsArray
        /// `access_token` twice (RFC 8259 section 4).
        case duplicateTokenMembers
        case oversizedTokenAnswer
        /// The token response never ends.
        case endlessTokenAnswer
        /// No `access_token` (RFC 6749 section 5.1).
        case missingAccessToken
        /// No `token_type` (RFC 6749 section 5.1).
        case missingTokenType
        /// A `token_type` the client does not understand (RFC 6749 section 7.1).
        case unknownTokenType
        /// The token response has a bearer token, although the client requires DPoP and proved its key (RFC 9449 section 5).
        case bearerForDPoP
        /// The token endpoint demands another nonce after every DPoP proof (RFC 9449 section 8).
        case endlessDPoPNonces
        /// The `Date` header is a day ahead of the tokens (RFC 9110 section 6.6.1).
        case wrongDateHeader

        // MARK: Discovery

        /// `issuer` is another issuer (Discovery section 4.3, RFC 8414 section 3.3).
        case wrongDiscoveryIssuer
        /// No `issuer` (Discovery section 3).
        case missingDiscoveryIssuer
        /// `issuer` has an additional slash at the end (Discovery section 4.3: must be identical).
        case issuerWithTrailingSlash
        /// The endpoints are plain `http` on a host that is not loopback (Discovery section 3, RFC 6749 section 3.2).
        case plainHTTPEndpoints
        /// No `authorization_endpoint` (Discovery section 3).
        case missingAuthorizationEndpoint
        /// No `token_endpoint` (Discovery section 3).
        case missingTokenEndpoint
        /// No `jwks_uri` (Discovery section 3).
        case missingKeySetAddress
        /// The metadata endpoint redirects with 302 (Discovery section 4.2: 200).
        case discoveryRedirects
        /// The metadata is an HTML page (Discovery section 4.2).
        case discoveryIsHTML
        /// The metadata contains `issuer` twice (RFC 8259 section 4).
        case duplicateDiscoveryMembers
        /// The metadata is ten megabytes long.
        case oversizedDiscovery

        // MARK: Registration

        /// The registration is refused (RFC 7591 section 3.2.2).
        case registrationRefused
        /// The registration has no `client_id` (RFC 7591 section 3.2.1).
        case registrationWithoutClientID
        /// The registration has other `redirect_uris` than the client asked for (RFC 7591 section 3.2.1).
        case registrationMovesRedirect
        /// The registration has a `token_endpoint_auth_method` for which the client has no credentials (RFC 7591
        /// section 3.2.1).
        case registrationDemandsKey
        /// The response to a registration is an HTML page (RFC 7591 section 3.2.1).
        case registrationIsHTML
        /// The registration endpoint redirects, so that the client's metadata and token would go elsewhere.
        case registrationRedirects
        /// Reading a registration returns another client (RFC 7592 section 3).
        case registrationOfAnother

        // MARK: Keys

        /// The key set has no keys (RFC 7517 section 5).
        case emptyKeySet
        /// The key set is an HTML page (RFC 7517 section 8.5).
        case keySetIsHTML
        /// The address of the key set redirects.
        case keySetRedirects
        /// The key set contains `keys` twice (RFC 7517 section 5).
        case duplicateKeySetMembers
        /// The key set is ten megabytes long.
        case oversizedKeySet

        // MARK: User info

        /// `sub` in user info is another person (Core section 5.3.2).
        case wrongUserInfoSubject
        /// User info has no `sub` (Core section 5.3.2).
        case missingUserInfoSubject
        /// User info is an HTML page (Core section 5.3.2).
        case userInfoIsHTML
        /// The signed response has another `iss` (Core section 5.3.2).
        case wrongUserInfoIssuer
        /// The signed response has another `aud` (Core section 5.3.2).
        case wrongUserInfoAudience
        /// A bit of the signed response's signature is wrong (Core section 5.3.4).
        case badUserInfoSignature
        /// The signed response has `alg` `none` (Core section 5.3.4).
        case unsignedUserInfo
    }
}
