extension LocalOpenIDConnectServer {
    /// A rule that the protected resource at `/api/notes`, its metadata or its authorization server can break. The exception is
    /// ``resourceRequiresBoundTokens``, a requirement that the specifications allow. Clients must notice each case.
    public enum ResourceMisbehaviour: String, Sendable, CaseIterable {
        /// The address of the resource's metadata responds with 404 (RFC 9728 section 3).
        case resourceNotDescribed
        /// The metadata is an HTML page (RFC 9728 section 3.2).
        case resourceMetadataIsHTML
        /// The `resource` of the metadata is the address of another resource (RFC 9728 section 3.3).
        case resourceOfAnother
        /// The metadata has no `resource` (RFC 9728 section 2).
        case resourceUnnamed
        /// The metadata endpoint redirects with 302 instead of responding with 200 (RFC 9728 section 3.2).
        case resourceMetadataRedirects
        /// The metadata contains `resource` twice (RFC 8259 section 4).
        case resourceNamedTwice
        /// The metadata is longer than ten megabytes.
        case resourceMetadataOversized
        /// The authorization server refuses every authorization request that contains `resource`, with the error
        /// `invalid_target` (RFC 8707 section 2).
        case resourceIsInvalidTarget
        /// The metadata has no `authorization_servers` (RFC 9728 section 2).
        case resourceWithoutServers
        /// The metadata names an authorization server whose own metadata has another `issuer` (RFC 8414 section 3.3).
        case resourceOfForeignServer
        /// The `resource_metadata` in the resource's challenges is a plain `http` address on another host (RFC 9728
        /// section 7.7).
        case resourceMetadataElsewhere
        /// The metadata announces `query` as the only method to send a token (RFC 9700 section 4.3.2).
        case resourceTakesQueryTokens
        /// The resource refuses every token with 401 and `invalid_token` (RFC 6750 section 3.1).
        case resourceRefusesAllTokens
        /// Reading and writing notes fails with `insufficient_scope`, whatever scopes the token has (RFC 6750 section 3.1).
        case resourceNeverSatisfied
        /// The resource accepts only DPoP-bound tokens, and its metadata announces this rule (RFC 9728 section 2, RFC 9449).
        /// The specifications allow this requirement.
        case resourceRequiresBoundTokens
    }

    /// A rule that a server with ``Variation/tenantIssuers`` can break. Clients must notice each of them.
    public enum TenantMisbehaviour: String, Sendable, CaseIterable {
        /// The claims `tid` and `iss` of the ID token name different tenants.
        case wrongTenant
        case missingTenant
        /// The claim `tid` is `./` followed by the tenant. If a client inserts this claim into the issuer's address and a URL
        /// parser normalizes the address, the result is the right issuer.
        case tenantWithPath
        /// The claim `iss` contains the placeholder `{tenantid}` instead of a tenant.
        case issuerWithPlaceholder
        /// The `issuer` of each key in the key set names another tenant.
        case keyOfAnotherTenant
    }

    /// A rule of the specifications that the server can break. Clients must notice each of them.
    ///
    /// "Core" is OpenID Connect Core 1.0, "Discovery" OpenID Connect Discovery 1.0.
    public enum Misbehaviour: String, Sendable, CaseIterable {
        // MARK: Claims of the ID token

        /// The `iss` of the ID token is another issuer (Core section 3.1.3.7 step 2).
        case wrongIssuer
        /// The ID token has no `iss` (Core section 2).
        case missingIssuer
        /// The `aud` of the ID token is another client (Core section 3.1.3.7 step 3).
        case wrongAudience
        /// The ID token has no `aud` (Core section 2).
        case missingAudience
        /// The `azp` of the ID token is another client (Core section 3.1.3.7 step 5).
        case wrongAuthorizedParty
        /// The ID token has two audiences in `aud`, and no `azp` (Core section 3.1.3.7 step 4).
        case missingAuthorizedParty
        /// The `nonce` of the ID token differs from the `nonce` of the request (Core section 3.1.3.7 step 11).
        case wrongNonce
        /// The ID token has no `nonce`, although the request had a `nonce` (Core section 3.1.3.7 step 11).
        case missingNonce
        /// The `at_hash` of the ID token belongs to another access token (Core section 3.1.3.8).
        case wrongAccessTokenHash
        /// The ID token has no `sub` (Core section 2).
        case missingSubject
        /// The `sub` of the ID token has 256 characters, one more than the limit (Core section 2).
        case overlongSubject
        /// The ID token has no `iat` (Core section 2).
        case missingIssuedAt
        /// The `iat` of the ID token is a day in the future, and `exp` is a day later than usual (RFC 7519 section 4.1.6, Core
        /// section 3.1.3.7 step 10).
        case issuedInFuture
        /// The ID token has no `exp` (Core section 2).
        case missingExpiry
        /// The ID token is expired: `exp` and `iat` are two hours too early (Core section 3.1.3.7 step 9).
        case expired
        /// The `nbf` of the ID token is a day after `iat` (RFC 7519 section 4.1.5).
        case notYetValid
        /// The `exp` and `iat` of the ID token are strings (RFC 7519 section 2, NumericDate).
        case datesAsText
        /// The ID token has no `auth_time`, even if the request had `max_age` (Core section 3.1.3.7 step 13).
        case missingAuthenticationTime
        /// The `auth_time` of the ID token is 30 days too early and so violates any shorter `max_age` (Core section
        /// 3.1.3.7 step 13).
        case staleAuthentication
        /// The token response has no `id_token`, although `openid` was granted (Core section 3.1.3.3).
        case missingIDToken

        // MARK: Form and signature of the ID token

        /// The signature of the ID token has one wrong bit (RFC 7515 section 5.2).
        case badSignature
        /// The `alg` of the ID token is `none`, and the signature is empty (RFC 8725 section 3.2).
        case unsignedToken
        /// The ID token is signed with HS256, and the public key is the secret (RFC 8725 section 2.1).
        case hmacWithPublicKey
        /// The `alg` of the ID token is `XS256`, which no specification registers (RFC 7515 section 4.1.1).
        case unknownAlgorithm
        /// The `crit` of the ID token demands an unknown extension (RFC 7515 section 4.1.11).
        case criticalHeader
        /// The ID token is a JWE in five parts, although no encryption was agreed (Core section 3.1.3.7 step 1).
        case encryptedToken
        /// The ID token is the payload of a second JWS (RFC 7519 section 5.2).
        case nestedToken
        /// The claims of the ID token contain `sub` twice (RFC 7519 section 4).
        case duplicateClaims
        /// The header of the ID token contains `alg` twice (RFC 7515 section 4).
        case duplicateHeaderMembers
        /// The ID token has no `kid`, although the key set has several keys of the same type (Core section 10.1).
        case missingKeyID
        /// The `kid` of the ID token is a number instead of a string (RFC 7515 section 4.1.4).
        case numericKeyID
        /// No key of the key set has the `kid` of the ID token (RFC 7515 section 4.1.4).
        case unknownKeyID
        /// The ID token is signed by a key that was removed from the key set (Core section 10.1.1).
        case withdrawnKey
        /// The ID token is signed by a key that only its own header member `jwk` contains (RFC 7515 section 4.1.3, RFC 8725
        /// section 3.10).
        case embeddedKey
        /// The parts of the ID token are padded with `=` (RFC 7515 section 2).
        case paddedBase64
        /// The ID token has two parts instead of three (RFC 7515 section 7.1).
        case truncatedToken
        /// The `typ` of the ID token is `at+jwt`, the type of an access token (RFC 9068 section 2.1, RFC 8725 section 3.11).
        case accessTokenAsIDToken
        /// The ID token has a claim of two megabytes.
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

        /// The `state` of the callback differs from the `state` of the request (RFC 6749 section 10.12).
        case wrongCallbackState
        /// The callback has no `state` (RFC 6749 section 4.1.2).
        case missingCallbackState
        /// The callback has `state` twice, with different values (RFC 6749 section 3.1).
        case repeatedCallbackState
        /// The `iss` of the callback is another issuer (RFC 9207 section 2.4).
        case wrongCallbackIssuer
        /// The callback has no `iss`, although the metadata announces `iss` (RFC 9207 section 2.4).
        case missingCallbackIssuer
        /// The callback of a successful sign-in has neither `code` nor `error` (RFC 6749 section 4.1.2).
        case missingCode
        /// The callback has `code` twice, with different values (RFC 6749 section 3.1).
        case repeatedCode
        /// The callback has `code` and `error` (RFC 6749 section 4.1.2.1).
        case codeAndError
        /// The callback has an access token that was not requested, in the fragment or in the posted form (RFC 9700 section
        /// 2.1.2).
        case tokensInCallback

        // MARK: The token endpoint

        /// The token endpoint accepts an authorization code more than once (RFC 6749 section 4.1.2).
        case acceptsCodeReplay
        /// The authorization code in the callback was already used, as after an authorization code injection (RFC 9700
        /// section 4.5).
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
        /// The token response has `access_token` twice (RFC 8259 section 4).
        case duplicateTokenMembers
        case oversizedTokenAnswer
        /// The token response never ends.
        case endlessTokenAnswer
        /// The token response has no `access_token` (RFC 6749 section 5.1).
        case missingAccessToken
        /// The token response has no `token_type` (RFC 6749 section 5.1).
        case missingTokenType
        /// The token response has the `token_type` `mac`, which clients do not support (RFC 6749 section 7.1).
        case unknownTokenType
        /// The token response has a bearer token, even if the client sent a DPoP proof (RFC 9449 section 5).
        case bearerForDPoP
        /// The server refuses every DPoP proof with `use_dpop_nonce`, whatever nonce the proof has (RFC 9449 section 8).
        case endlessDPoPNonces
        /// The `Date` header is a day ahead of the times in the tokens (RFC 9110 section 6.6.1).
        case wrongDateHeader

        // MARK: Discovery

        /// The `issuer` of the metadata is another issuer (Discovery section 4.3, RFC 8414 section 3.3).
        case wrongDiscoveryIssuer
        /// The metadata has no `issuer` (Discovery section 3).
        case missingDiscoveryIssuer
        /// The `issuer` of the metadata is the server's issuer with an additional slash at the end (Discovery section 4.3).
        case issuerWithTrailingSlash
        /// The endpoints in the metadata are plain `http` on a host that is not loopback (Discovery section 3, RFC 6749 section
        /// 3.2).
        case plainHTTPEndpoints
        /// The metadata has no `authorization_endpoint` (Discovery section 3).
        case missingAuthorizationEndpoint
        /// The metadata has no `token_endpoint` (Discovery section 3).
        case missingTokenEndpoint
        /// The metadata has no `jwks_uri` (Discovery section 3).
        case missingKeySetAddress
        /// The metadata endpoint redirects with 302 instead of responding with 200 (Discovery section 4.2).
        case discoveryRedirects
        /// The metadata is an HTML page (Discovery section 4.2).
        case discoveryIsHTML
        /// The metadata contains `issuer` twice (RFC 8259 section 4).
        case duplicateDiscoveryMembers
        /// The metadata is longer than ten megabytes.
        case oversizedDiscovery

        // MARK: Registration

        /// The server refuses every registration with `invalid_client_metadata` (RFC 7591 section 3.2.2).
        case registrationRefused
        /// The registration response has no `client_id` (RFC 7591 section 3.2.1).
        case registrationWithoutClientID
        /// The registration response has other `redirect_uris` than the client asked for (RFC 7591 section 3.2.1).
        case registrationMovesRedirect
        /// The registration response has the `token_endpoint_auth_method` `private_key_jwt`, for which the client has no key
        /// (RFC 7591 section 3.2.1).
        case registrationDemandsKey
        /// The response to a new registration is an HTML page (RFC 7591 section 3.2.1).
        case registrationIsHTML
        /// The registration endpoint redirects with 307. A client that follows the redirect sends its metadata and initial
        /// access token elsewhere.
        case registrationRedirects
        /// The responses to registering a client and to reading or changing a registration have the `client_id` of another
        /// client (RFC 7592 section 3).
        case registrationOfAnother

        // MARK: Keys

        /// The key set has an empty list of keys (RFC 7517 section 5).
        case emptyKeySet
        /// The key set is an HTML page (RFC 7517 section 8.5).
        case keySetIsHTML
        /// The address of the key set redirects with 302.
        case keySetRedirects
        /// The key set contains `keys` twice (RFC 7517 section 5).
        case duplicateKeySetMembers
        /// The key set is longer than ten megabytes.
        case oversizedKeySet

        // MARK: User info

        /// The `sub` of user info is another person (Core section 5.3.2).
        case wrongUserInfoSubject
        /// User info has no `sub` (Core section 5.3.2).
        case missingUserInfoSubject
        /// User info is an HTML page (Core section 5.3.2).
        case userInfoIsHTML
        /// User info is a signed JWT with another issuer in `iss` (Core section 5.3.2).
        case wrongUserInfoIssuer
        /// User info is a signed JWT with another client in `aud` (Core section 5.3.2).
        case wrongUserInfoAudience
        /// User info is a signed JWT with one wrong bit in the signature (Core section 5.3.4).
        case badUserInfoSignature
        /// User info is a JWT with the `alg` `none` and an empty signature (Core section 5.3.4).
        case unsignedUserInfo
    }
}
