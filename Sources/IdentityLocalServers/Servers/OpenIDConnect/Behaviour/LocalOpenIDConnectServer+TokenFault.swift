extension LocalOpenIDConnectServer {
    /// A fault in the token responses of real servers.
    ///
    /// At a sign-in, clients refuse responses with many of these faults. At a refresh, clients use the members that they can
    /// read, because the refresh token may be spent, so that they cannot repeat the request.
    public enum TokenFault: String, Sendable, CaseIterable {
        // MARK: The response

        /// The JSON has the content type of an HTML page.
        case labelledAsPage
        /// The JSON has the content type of plain text.
        case labelledAsText
        /// The response has no `Content-Type` header.
        case unlabelled
        /// The response is form-encoded, but has the content type of plain text.
        case formAsText
        /// The members of the JSON have names like `accessToken` instead of `access_token`.
        case camelCaseMembers
        /// The status is 201 instead of 200.
        case created
        /// The JSON begins with a byte order mark (against RFC 8259 section 8.1).
        case byteOrderMark
        /// The member `access_token` occurs twice, with the right value last (against RFC 8259 section 4).
        case repeatedAccessToken
        /// The member `expires_in` occurs twice, with the right value last.
        case repeatedLifetime
        /// A refresh response has its members at the top level, even with ``Variation/nestedTokens``, as at Slack.
        case flatRefresh

        // MARK: The token type

        case noTokenType
        case emptyTokenType
        /// The `token_type` is a number.
        case numericTokenType
        /// The `token_type` is `JWT`.
        case unknownTokenType
        /// The `token_type` is `Bearer`, even if the client sent a DPoP proof.
        case bearerTokenType
        /// The `token_type` is `DPoP`, even if the client sent no DPoP proof.
        case boundTokenType
        /// The `token_type` is `N_A`, which means a token that is not an access token (RFC 8693 section 2.2.1).
        case inapplicableTokenType

        // MARK: Other members

        /// The `access_token` contains a line break, which would add a header field to a request.
        case hostileAccessToken
        case noAccessToken
        /// The `refresh_token` is a number.
        case numericRefreshToken
        /// The `scope` is an array of strings.
        case listedScope
        /// The `scope` is an object.
        case scopeObject
        /// The `scope` contains quotation marks, which no scope may contain (against RFC 6749 section 3.3).
        case hostileScope
        /// The member `expires_at`, the time of the expiry in seconds since 1970, replaces `expires_in`.
        case expiresAt
        /// The member `expires_on`, the time of the expiry in seconds since 1970 as a string, replaces `expires_in`, as at
        /// Microsoft's older endpoints.
        case expiresOn
        /// The member `expires`, the time of the expiry in seconds since 1970, replaces `expires_in`.
        case expiresAsTime
        /// The member `expires`, the lifetime in seconds, replaces `expires_in`, as formerly at Facebook.
        case expiresAsLifetime
        /// The `expires_in` is an array with one number.
        case listedLifetime
        /// The `refresh_token_expires_in` is a word instead of a number.
        case refreshLifetimeAsWord
        /// The `id_token` is a JSON object instead of a string.
        case idTokenObject
        /// The `issued_token_type` is a number instead of a URI (RFC 8693 section 2.2.1).
        case numericIssuedTokenType

        // MARK: The ID token

        /// The ID token has an array in `acr` and a word in `auth_time`, even if the client requested neither claim.
        case oddClaims
        /// The `iat` of the ID token is ten minutes ahead of the server's clock.
        case issuedTenMinutesAhead
    }
}
