extension LocalOpenIDConnectServer {
    /// A rule that the protected resource at `/api/notes` can break, or a way in which it differs. A client must notice
    /// each of them.
    public enum ResourceMisbehaviour: String, Sendable, CaseIterable {
        /// There is no metadata (RFC 9728 section 3).
        case resourceNotDescribed
        /// The metadata is a page (RFC 9728 section 3.2).
        case resourceMetadataIsHTML
        /// The metadata is about another resource (RFC 9728 section 3.3).
        case resourceOfAnother
        /// The metadata does not say which resource it is about (RFC 9728 section 2).
        case resourceUnnamed
        /// The metadata leads elsewhere (RFC 9728 section 3.2: the status is 200).
        case resourceMetadataRedirects
        /// The metadata names the resource twice (RFC 8259 section 4).
        case resourceNamedTwice
        /// The metadata is larger than any (RFC 9728 section 7.7: whoever wrote it is not known).
        case resourceMetadataOversized
        /// The authorization server does not issue tokens for the resource (RFC 8707 section 2).
        case resourceIsInvalidTarget
        /// The metadata names no authorization server (RFC 9728 section 2).
        case resourceWithoutServers
        /// The metadata names an authorization server whose metadata names another one (RFC 8414 section 3.3).
        case resourceOfForeignServer
        /// The refusal names an address of the metadata that is not safe (RFC 9728 section 7.7).
        case resourceMetadataElsewhere
        /// Tokens are taken in the query alone (RFC 9700 section 4.3.2).
        case resourceTakesQueryTokens
        /// No token is accepted, ever.
        case resourceRefusesAllTokens
        /// More scopes are asked for, whatever was granted.
        case resourceNeverSatisfied
        /// Tokens must be bound to a key (RFC 9728 section 2, RFC 9449). It breaks no rule.
        case resourceRequiresBoundTokens
    }

    /// A rule that a server with ``Variation/tenantIssuers`` can break. A client must notice each of them.
    public enum TenantMisbehaviour: String, Sendable, CaseIterable {
        /// `tid` is another tenant than the issuer's.
        case wrongTenant
        case missingTenant
        /// `tid` is a path that leads to the issuer, and no name.
        case tenantWithPath
        /// The issuer is that of no tenant.
        case issuerWithPlaceholder
        /// The keys belong to another tenant.
        case keyOfAnotherTenant
    }

    /// A rule that the server can break. A client must notice each of them.
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
        /// Two audiences and no `azp` (Core section 3.1.3.7 step 4).
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
        /// No `auth_time` although the request had `max_age` (Core section 3.1.3.7 step 13).
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
        /// Signed by a key that was rotated out of the set (Core section 10.1.1).
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
        /// No `iss` although it is announced (RFC 9207 section 2.4).
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
        /// The code in the callback was already spent, as after an injection (RFC 9700 section 4.5).
        case spentCode
        /// The token endpoint redirects with 307 (RFC 9700 section 4.12).
        case tokenEndpointRedirects
        /// The token endpoint responds with 200 and a page (RFC 6749 section 5.1).
        case tokenEndpointAnswersHTML
        /// 200 and no body (RFC 6749 section 5.1).
        case emptyTokenAnswer
        /// The JSON stops in the middle (RFC 8259 section 2).
        case brokenTokenJSON
        /// A JSON array instead of an object (RFC 6749 section 5.1).
        case tokenAnswerIsArray
        /// `access_token` twice (RFC 8259 section 4).
        case duplicateTokenMembers
        case oversizedTokenAnswer
        /// A response that never ends.
        case endlessTokenAnswer
        /// No `access_token` (RFC 6749 section 5.1).
        case missingAccessToken
        /// No `token_type` (RFC 6749 section 5.1).
        case missingTokenType
        /// A `token_type` the client does not understand (RFC 6749 section 7.1).
        case unknownTokenType
        /// A bearer token in response to a DPoP proof of a client that requires DPoP (RFC 9449 section 5).
        case bearerForDPoP
        /// The response to every DPoP proof requires another nonce (RFC 9449 section 8).
        case endlessDPoPNonces
        /// The `Date` header is a day ahead of the tokens (RFC 9110 section 6.6.1).
        case wrongDateHeader

        // MARK: Discovery

        /// `issuer` is another issuer (Discovery section 4.3, RFC 8414 section 3.3).
        case wrongDiscoveryIssuer
        /// No `issuer` (Discovery section 3).
        case missingDiscoveryIssuer
        /// `issuer` has a slash more than requested (Discovery section 4.3: exactly the same).
        case issuerWithTrailingSlash
        /// The endpoints are plain `http` on a host that is not loopback (Discovery section 3, RFC 6749 section 3.2).
        case plainHTTPEndpoints
        /// No `authorization_endpoint` (Discovery section 3).
        case missingAuthorizationEndpoint
        /// No `token_endpoint` (Discovery section 3).
        case missingTokenEndpoint
        /// No `jwks_uri` (Discovery section 3).
        case missingKeySetAddress
        /// The document is somewhere else, says a 302 (Discovery section 4.2: 200).
        case discoveryRedirects
        /// The document is a page (Discovery section 4.2).
        case discoveryIsHTML
        /// The document names `issuer` twice (RFC 8259 section 4).
        case duplicateDiscoveryMembers
        /// The document has ten megabytes.
        case oversizedDiscovery

        // MARK: Registration

        /// The registration is refused (RFC 7591 section 3.2.2).
        case registrationRefused
        /// No `client_id` (RFC 7591 section 3.2.1).
        case registrationWithoutClientID
        /// Other `redirect_uris` than the client asked for (RFC 7591 section 3.2.1).
        case registrationMovesRedirect
        /// A `token_endpoint_auth_method` for which the client has nothing (RFC 7591 section 3.2.1).
        case registrationDemandsKey
        /// A page answers the registration (RFC 7591 section 3.2.1).
        case registrationIsHTML
        /// The registration redirects, and with it what the client says of itself.
        case registrationRedirects
        /// The registration that is read is of another client (RFC 7592 section 3).
        case registrationOfAnother

        // MARK: Keys

        /// The key set has no keys (RFC 7517 section 5).
        case emptyKeySet
        /// The key set is a page (RFC 7517 section 8.5).
        case keySetIsHTML
        /// The key set redirects.
        case keySetRedirects
        /// The key set names `keys` twice (RFC 7517 section 5).
        case duplicateKeySetMembers
        /// The key set has ten megabytes.
        case oversizedKeySet

        // MARK: User info

        /// `sub` is another person (Core section 5.3.2).
        case wrongUserInfoSubject
        /// No `sub` (Core section 5.3.2).
        case missingUserInfoSubject
        /// A page (Core section 5.3.2).
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
