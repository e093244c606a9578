/// The consequence of a failed refresh request for its refresh token. The article on refreshing tokens has these rules as a
/// table.
///
/// Servers differ in how they refuse a refresh token, and a proxy may respond in their place, so the classification
/// uses the whole response and not only its error code.
enum RefreshFailure: Hashable, Sendable {
    /// The server states clearly that the refresh token is dead: the server will never accept it again.
    case refused
    /// The server requires that the person signs in or consents; the token may still be valid.
    case personNeeded
    /// The failure may mean that the token is dead, or may have another cause, such as a wrong request.
    case ambiguous
    /// The server refused the client or the kind of request, not the token, or a setting is wrong.
    case misconfigured
    /// The server refused the scopes or the resource of this request; the token stays valid.
    case stepUpNeeded
    /// The server did not use the token. For example, the server was busy, or a proxy responded in its place.
    /// - Parameter retryAfter: the time to wait by `Retry-After`; `nil` if it is unknown.
    case unspent(retryAfter: Duration?)
    /// The response has a successful status and is not an HTML page, but its tokens cannot be read. The refresh token
    /// may be spent, and a setting may be wrong.
    case unreadable
    /// The failure leaves open whether the server has spent the token, as after a lost response.
    case inDoubt

    /// Classifies an error of a refresh request, or of the discovery before it.
    /// - Parameters:
    ///   - error: the error to classify.
    ///   - final: the vendor's responses to a dead refresh token.
    init(_ error: any Error, final: [FinalRefusal] = []) {
        switch error {
        case OAuthError.refused(let refusal):
            self = final.contains { $0.matches(refusal) } ? .refused : RefreshFailure(refusal)
        case OAuthError.invalidResponse(let reason, _): self.init(reason)
        // The login page of a Wi-Fi network may have responded in place of the server, so the settings need not be wrong.
        case OAuthError.invalidMetadata(.notFound): self = .inDoubt
        case OAuthError.invalidSetting, OAuthError.invalidMetadata: self = .misconfigured
        default: self = .inDoubt
        }
    }

    private init(_ refusal: ErrorResponse) {
        let status = refusal.status ?? 400
        if WaitRequest.isMade(by: status, refusal.retryAfter) {
            self = .unspent(retryAfter: refusal.retryAfter)
        } else if status >= 500 {
            // A failing server may have spent the token before it failed.
            self = .inDoubt
        } else if status == 407 {
            self = .unspent(retryAfter: nil)
        } else {
            self = Self.meaning(of: refusal.error, status, retryAfter: refusal.retryAfter)
        }
    }

    private static func meaning(
        of error: OAuthErrorCode, _ status: Int, retryAfter: Duration?
    ) -> RefreshFailure {
        switch error {
        case .invalidGrant, .invalidToken, .expiredToken: return .refused
        case .loginRequired, .interactionRequired, .consentRequired, .accountSelectionRequired,
            .insufficientUserAuthentication:
            return .personNeeded
        case .invalidClient, .unauthorizedClient, .unsupportedGrantType, .unsupportedTokenType,
            .unsupportedResponseType, .invalidDPoPProof:
            return .misconfigured
        case .invalidScope, .invalidTarget, .insufficientScope: return .stepUpNeeded
        case .serverError, .temporarilyUnavailable, .slowDown, .authorizationPending, .useDPoPNonce:
            return .unspent(retryAfter: retryAfter)
        case .invalidRequest, .accessDenied:
            // A proxy in front of the server may send these codes too, for example with the status 404.
            return [200, 400, 401, 403].contains(status) ? .ambiguous : .unspent(retryAfter: nil)
        default:
            return [200, 400, 401].contains(status) ? .ambiguous : .unspent(retryAfter: nil)
        }
    }

    private init(_ reason: InvalidResponseReason) {
        switch reason {
        case .failedStatus(400), .failedStatus(401): self = .ambiguous
        case .asksToWait(_, let retryAfter): self = .unspent(retryAfter: retryAfter)
        case .failedStatus(500...), .errorPage(500...): self = .inDoubt
        // A token endpoint sends no HTML page or redirect, and refuses a token with an OAuth error or the status 400 or 401.
        // Therefore a proxy or a captive portal responded.
        case .failedStatus, .errorPage, .redirected: self = .unspent(retryAfter: nil)
        case .tooLarge: self = .inDoubt
        default: self = .unreadable
        }
    }
}
