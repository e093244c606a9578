/// The meaning of a failed refresh request for its refresh token. The article on refreshing tokens has the same as a
/// table.
///
/// Servers differ in how they refuse a refresh token, and a proxy may respond in place of the server. So the whole
/// response decides, and not its error code alone.
enum RefreshFailure: Hashable, Sendable {
    /// The server says in its own words that the token is over.
    case refused
    /// The server wants the person, and the token may live.
    case personNeeded
    /// Possibly final: the failure may mean that the token is dead, or something else.
    case ambiguous
    /// The client was turned away and not the token, or the settings cannot work.
    case misconfigured
    /// The request is not granted, and the token lives.
    case stepUpNeeded
    /// The token was not looked at: the server asked to wait, or something in front of it responded.
    case unspent(retryAfter: Duration?)
    /// A success that has no token which can be read, and is no page: the token is in doubt, and a setting may be wrong.
    case unreadable
    /// The server may have spent the token.
    case inDoubt

    /// Classifies an error of a refresh request that was sent.
    /// - Parameter final: the vendor's own words for a dead token.
    init(_ error: any Error, final: [FinalRefusal] = []) {
        switch error {
        case OAuthError.refused(let refusal):
            self = final.contains { $0.matches(refusal) } ? .refused : RefreshFailure(refusal)
        case OAuthError.invalidResponse(let reason, _): self.init(reason)
        // Nothing was sent, and a network's sign-in page may stand for the whole server.
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
            // A server that fails may have spent the token before, whatever it says.
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
            // A missing page is said with these words too, by what stands in front of the server.
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
        // No token endpoint makes pages: a proxy or a captive portal responded.
        case .failedStatus, .errorPage, .redirected: self = .unspent(retryAfter: nil)
        case .tooLarge: self = .inDoubt
        default: self = .unreadable
        }
    }
}
