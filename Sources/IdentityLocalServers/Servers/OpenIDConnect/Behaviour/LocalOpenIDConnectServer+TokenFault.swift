extension LocalOpenIDConnectServer {
    /// A way in which token responses of servers in the field are odd. A client that asks for its first tokens refuses
    /// many of them; one that has just spent a refresh token uses what it can.
    public enum TokenFault: String, Sendable, CaseIterable {
        // MARK: The response

        /// The JSON is labelled as a page.
        case labelledAsPage
        /// The JSON is labelled as plain text.
        case labelledAsText
        /// There is no content type.
        case unlabelled
        /// The response is a form, labelled as plain text.
        case formAsText
        /// The members have names like `accessToken`.
        case camelCaseMembers
        /// The status is 201.
        case created
        /// A byte order mark is in front of the document (against RFC 8259 section 8.1).
        case byteOrderMark
        /// `access_token` is there twice, the right one last (against RFC 8259 section 4).
        case repeatedAccessToken
        /// `expires_in` is there twice.
        case repeatedLifetime
        /// The response to a refresh is the document itself, also with ``Variation/nestedTokens``, as at Slack.
        case flatRefresh

        // MARK: The token type

        case noTokenType
        case emptyTokenType
        /// A `token_type` that is a number.
        case numericTokenType
        /// The `token_type` is `JWT`.
        case unknownTokenType
        /// The `token_type` is `Bearer`, whatever the client proved.
        case bearerTokenType
        /// The `token_type` is `DPoP`, whatever the client proved.
        case boundTokenType
        /// The `token_type` is `N_A`, as for what is no access token (RFC 8693 section 2.2.1).
        case inapplicableTokenType

        // MARK: Other members

        /// `access_token` has a line break.
        case hostileAccessToken
        case noAccessToken
        /// `refresh_token` is a number.
        case numericRefreshToken
        /// `scope` is a list of texts.
        case listedScope
        /// `scope` is an object.
        case scopeObject
        /// `scope` has a quotation mark.
        case hostileScope
        /// `expires_at` with a time, in the place of `expires_in`.
        case expiresAt
        /// `expires_on` with a time as a text, as at Microsoft's older endpoints.
        case expiresOn
        /// `expires` with a time.
        case expiresAsTime
        /// `expires` with seconds, as Facebook had it.
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

        /// `acr` is a list and `auth_time` a word, and nobody asked for either.
        case oddClaims
        /// `iat` is ten minutes ahead of the server's `Date`.
        case issuedTenMinutesAhead
    }
}
