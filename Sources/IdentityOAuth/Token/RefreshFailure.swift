import Foundation
import IdentityKit

/// What a failed refresh request means for its refresh token. The article on refreshing tokens has the same as a table.
///
/// Servers differ in how they refuse a refresh token, and a proxy may respond in place of the server. So the whole
/// response decides, and not its error code alone.
enum RefreshFailure: Hashable, Sendable {
    /// The server says in its own words that the token, or the sign-in behind it, is over.
    case refused
    /// It may mean that the token is dead, or something else.
    case ambiguous
    /// The client was turned away and not the token, or the settings cannot work.
    case misconfigured
    /// The token was not looked at: nothing was sent, a proxy responded, or the server is busy or failing. One
    /// that fails may have spent it before. But then the session is lost whenever the token is sent again, and a server's
    /// trouble must not use up the attempts after which a token in doubt is given up.
    case unspent
    /// The server may have spent the token.
    case inDoubt

    /// What `error` means, thrown by a refresh request.
    init(_ error: any Error) {
        switch error {
        case let error as TransportError: self = error.wasNeverSent ? .unspent : .inDoubt
        case is RandomnessError: self = .unspent
        case OAuthError.refused(let refusal): self.init(refusal)
        case OAuthError.invalidResponse(let reason, _): self.init(reason)
        case OAuthError.invalidSetting, OAuthError.invalidMetadata: self = .misconfigured
        default: self = .inDoubt
        }
    }

    /// A response with an OAuth error (RFC 6749 section 5.2).
    private init(_ refusal: ErrorResponse) {
        switch refusal.status ?? 400 {
        case let status where Self.isPassing(status): self = .unspent
        case let status: self = Self.meaning(of: refusal.error, status)
        }
    }

    private static func meaning(of error: OAuthErrorCode, _ status: Int) -> RefreshFailure {
        switch error {
        case .invalidGrant, .invalidToken, .expiredToken, .loginRequired, .interactionRequired, .consentRequired,
            .accountSelectionRequired, .insufficientUserAuthentication:
            return .refused
        case .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope, .invalidTarget,
            .insufficientScope, .unsupportedTokenType, .unsupportedResponseType, .invalidDPoPProof:
            return .misconfigured
        case .serverError, .temporarilyUnavailable, .slowDown, .authorizationPending, .useDPoPNonce:
            return .unspent
        case .invalidRequest, .accessDenied:
            // A missing page is said with these words too, by what stands in front of the server.
            return [200, 400, 401, 403].contains(status) ? .ambiguous : .unspent
        default:
            return [200, 400, 401].contains(status) ? .ambiguous : .unspent
        }
    }

    /// A response without an OAuth error.
    private init(_ reason: InvalidResponseReason) {
        switch reason {
        case .failedStatus(400), .failedStatus(401): self = .ambiguous
        case .failedStatus, .errorPage, .redirected: self = .unspent
        // No token endpoint makes pages: a proxy or a captive portal responded.
        case .wrongContentType(let type) where type.map(HTTPResponse.isPage) ?? false: self = .unspent
        default: self = .inDoubt
        }
    }

    /// Whether a status is about this moment, or about a proxy (RFC 9110 sections 15.5 and 15.6, RFC 6585 section 4).
    private static func isPassing(_ status: Int) -> Bool { status >= 500 || [407, 408, 425, 429].contains(status) }
}
