import IdentityKit

extension Error {
    /// Whether a refresh request that failed this way has certainly not used up its refresh token.
    ///
    /// The server turned the request away before it looked at the token (RFC 6749 section 5.2: any error but
    /// `invalid_grant`; RFC 6585 section 4: too many requests; RFC 9110 section 15.6.4: unavailable), or something in
    /// between did, or nothing was sent. Every other failure leaves the token in doubt: a server that fails after it
    /// rotated the token looks the same as one that fails before.
    package var leavesRefreshTokenUnspent: Bool {
        if let error = self as? TransportError { return error.wasNeverSent }
        return switch self as? OAuthError {
        case .refused(let refusal): refusal.error != .invalidGrant && Self.isTurnedAway(refusal.status)
        case .unusableAnswer(.failedStatus(let status), _): Self.isTurnedAway(status)
        case .unusableAnswer(.redirected, _), .invalidSetting, .invalidMetadata: true
        default: false
        }
    }

    private static func isTurnedAway(_ status: Int?) -> Bool {
        guard let status else { return false }
        return (400..<500).contains(status) || status == 503
    }
}
