extension LocalOpenIDConnectServer {
    /// A fault of token responses that real servers have. At a sign-in, clients refuse many of them; after a refresh,
    /// which has spent a refresh token, they use what they can.
    public enum TokenFault: String, Sendable, CaseIterable {
        // MARK: The response

        /// The JSON has the content type of an HTML page.
        case labelledAsPage
        /// The JSON has the content type of plain text.
        case labelledAsText
        /// The response has no content type.
        case unlabelled
        /// The response is a form with the content type of plain text.
        case formAsText
        /// The members have names like `accessToken`.
        case camelCaseMembers
        /// The status is 201.
        case created
        /// The document begins with a byte order mark (against RFC 8259 section 8.1).
        case byteOrderMark
        /// `access_token` occurs twice, with the right value last (against RFC 8259 section 4).
        case repeatedAccessToken
        /// `expires_in` occurs twice.
        case repeatedLifetime
        /// The response to a refresh has its members in the document itself, even with ``Variation/nestedTokens``, as at Slack.
        case flatRefresh

        // MARK: The token type

        case noTokenType
        case emptyTokenType
        /// The `token_type` is a number.
        case numericTokenType
        /// The `token_type` is `JWT`.
        case unknownTokenType
        /// The `token_type` is `Bearer`, even if the client proved a key.
        case bearerTokenType
        /// The `token_type` is `DPoP`, even if the client proved no key.
        case boundTokenType
        /// The `token_type` is `N_A`, which means a token that is not an access token (RFC 8693 section 2.2.1).
        case inapplicableTokenType

        // MARK: Other members

        /// `access_token` contains a line break.
        case hostileAccessToken
        case noAccessToken
        /// `refresh_token` is a number.
        case numericRefreshToken
        /// `scope` is a list of texts.
        case listedScope
        /// `scope` is an object.
        case scopeObject
        /// `scope` contains a quotation mark.
        case hostileScope
        /// The time `expires_at` replaces `expires_in`.
        case expiresAt
        /// The time `expires_on`, as text, replaces `expires_in`, as at Microsoft's older endpoints.
        case expiresOn
        /// The time `expires` replaces `expires_in`.
        case expiresAsTime
        /// The lifetime `expires`, in seconds, replaces `expires_in`, as formerly at Facebook.
        case expiresAsLifetime
        /// `expires_in` is a list.
        case listedLifetime
        /// `refresh_token_expires_in` is a word.
        case refreshLifetimeAsWord
        /// `id_token` is an object.
        case idTokenObject
        /// `issued_token_type` is a number.
        case numericIssuedTokenType

        // MARK: The ID token

        /// `acr` is a list and `auth_time` a text, although neither was requested.
        case oddClaims
        /// `iat` is ten minutes ahead of the server's `Date`.
        case issuedTenMinutesAhead
    }
}
