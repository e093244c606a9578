import IdentityKit

/// A successful response to a refresh from which no token can be read, and what would read it.
struct UnreadableTokenResponse: IdentityFailure {
    let underlying: OAuthError

    /// `nil` for another error.
    init?(_ error: any Error) {
        guard RefreshFailure(error) == .unreadable, let error = error as? OAuthError else { return nil }
        underlying = error
    }

    var failureCode: String { underlying.failureCode }
    var failureClass: FailureClass { underlying.failureClass }

    var message: String {
        guard case .invalidResponse(let reason, _) = underlying, let advice = Self.advice(on: reason) else {
            return underlying.message
        }
        return underlying.message + " " + advice
    }

    private static func advice(on reason: InvalidResponseReason) -> String? {
        switch reason {
        case .malformedJSON, .wrongContentType, .unexpectedStatus:
            "If the server writes forms, set tokenResponse.encoding to form."
        case .malformedForm: "If the server writes JSON, leave tokenResponse.encoding out."
        case .missingMember(let name) where name != "token_type":
            "Set tokenResponse.names, or tokenResponse.memberPath, to where the server has the access token."
        case .invalidMember: "Set tokenResponse.names if the token is under another name."
        // These name their setting themselves, or no setting reads them.
        default: nil
        }
    }
}
