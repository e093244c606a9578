import IdentityKit

/// An error of OAuth or OpenID Connect, with a stable code for each kind of failure.
///
/// The case names the step or the object that failed. Its associated reason determines the ``failureCode``, the
/// ``failureClass`` and the ``message``.
public enum OAuthError: IdentityFailure, Equatable {
    /// The server returned an OAuth error (RFC 6749 section 5.2).
    case refused(ErrorResponse)
    /// A setting or an argument of the caller cannot work.
    case invalidSetting(InvalidSettingReason)
    /// The server's response cannot be used: it does not conform to the RFC, or has a token that the settings do not allow.
    case invalidResponse(InvalidResponseReason, host: String)
    /// The server's metadata is absent, incomplete or not trustworthy.
    case invalidMetadata(InvalidMetadataReason)
    /// The response in the callback URL is malformed, or does not belong to the sign-in or sign-out that waits for it.
    case invalidCallback(InvalidCallbackReason)
    /// A JWT cannot be decoded or verified, or a public key cannot be used.
    case invalidToken(InvalidTokenReason)
    /// An ID token breaks a rule for its claims, `typ` or key, or the response lacks an ID token.
    case invalidIDToken(InvalidIDTokenReason)
    /// A userinfo response, or the document of an ``AccountSource``, must not be used, for example because it is about another
    /// person.
    case invalidUserInfo(InvalidUserInfoReason)
    /// The metadata of a protected resource (RFC 9728) cannot be used, or a request goes to another resource.
    case invalidResource(InvalidResourceReason)
    /// A client cannot be registered (RFC 7591), or its registration cannot be used.
    case invalidRegistration(InvalidRegistrationReason)

    /// The stable code. For ``refused(_:)``, the server's own code, or `unreadable_error` if that has no safe form.
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

extension OAuthError: CustomDebugStringConvertible, Reticent {
    /// The code and the message. The associated values are left out, because a server's texts in them may repeat a secret.
    public var debugDescription: String { "OAuthError(\(failureCode): \(message))" }
    /// Shows only the code and the message, because a server's texts may repeat a secret.
    package var shown: KeyValuePairs<String, Any> { ["failureCode": failureCode, "message": message] }
}

/// The associated value of an ``OAuthError``, which determines its code, class and message.
protocol ErrorReason: Sendable, Equatable {
    var code: String { get }
    var failureClass: FailureClass { get }
    var message: String { get }
}

extension ErrorReason {
    /// The default for reasons that do not implement this property: definitive.
    var failureClass: FailureClass { .definitive }
}

extension OAuthError: ScreenAdvice {
    /// The notice `clockWrong` if an ID token is refused because of one of its dates, and the server's `Date` shows that
    /// the device's clock is wrong; `nil` for any other error.
    package var notice: SignInScreen.Notice? {
        switch self {
        case .invalidIDToken(.expired(_, _, _?)), .invalidIDToken(.issuedInFuture(_, _, _?)),
            .invalidIDToken(.notYetValid(_, _, _?)):
            .clockWrong
        default: nil
        }
    }
}
