import IdentityKit

/// Everything that can go wrong in OAuth and OpenID Connect, one stable code for each failure.
///
/// A case says where the failure lies; its reason has the code, the class and the text.
public enum OAuthError: IdentityFailure, Equatable {
    /// The server returned an OAuth error. The code is the server's.
    case refused(ErrorResponse)
    /// A setting or an argument of the caller cannot work.
    case invalidSetting(InvalidSettingReason)
    /// The response of the server does not conform to the RFC.
    case invalidResponse(InvalidResponseReason, host: String)
    /// The server's metadata must not be used.
    case invalidMetadata(InvalidMetadataReason)
    /// The authorization response must not be used.
    case invalidCallback(InvalidCallbackReason)
    /// A JWT cannot be read, or its form is not accepted.
    case invalidToken(InvalidTokenReason)
    /// An ID token breaks a rule.
    case invalidIDToken(InvalidIDTokenReason)
    /// Claims about a person must not be used.
    case invalidUserInfo(InvalidUserInfoReason)
    /// A protected resource cannot be used.
    case invalidResource(InvalidResourceReason)
    /// A client's registration must not be used.
    case invalidRegistration(InvalidRegistrationReason)

    /// The stable code; for ``refused(_:)`` the server's own.
    public var failureCode: String { detail.code }

    public var failureClass: FailureClass { detail.failureClass }

    public var message: String {
        if case .invalidResponse(let reason, let host) = self {
            return "The response of \(host) cannot be used: \(reason.message)"
        }
        return detail.message
    }

    private var detail: any ErrorReason {
        switch self {
        case .refused(let response): response
        case .invalidSetting(let reason): reason
        case .invalidResponse(let reason, _): reason
        case .invalidMetadata(let reason): reason
        case .invalidCallback(let reason): reason
        case .invalidToken(let reason): reason
        case .invalidIDToken(let reason): reason
        case .invalidUserInfo(let reason): reason
        case .invalidResource(let reason): reason
        case .invalidRegistration(let reason): reason
        }
    }
}

extension OAuthError: CustomDebugStringConvertible, CustomReflectable {
    /// The code and the message. A server's own texts may repeat a secret.
    public var debugDescription: String { "OAuthError(\(failureCode): \(message))" }
    /// Shows the code and the message.
    public var customMirror: Mirror { Mirror(self, showing: ["failureCode": failureCode, "message": message]) }
}

/// The detail of one ``OAuthError`` case.
protocol ErrorReason: Sendable, Equatable {
    var code: String { get }
    var failureClass: FailureClass { get }
    var message: String { get }
}

extension ErrorReason {
    /// Definitive, unless a reason says otherwise.
    var failureClass: FailureClass { .definitive }
}

extension OAuthError: ScreenAdvice {
    /// The notice about a wrong clock, if the server's `Date` shows that it is why an ID token is refused.
    package var notice: SignInScreen.Notice? {
        switch self {
        case .invalidIDToken(.expired(_, _, _?)), .invalidIDToken(.issuedInFuture(_, _, _?)),
            .invalidIDToken(.notYetValid(_, _, _?)):
            .clockWrong
        default: nil
        }
    }
}
