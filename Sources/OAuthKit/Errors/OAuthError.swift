import IdentityKit

/// Everything that can go wrong in OAuth and OpenID Connect, one stable code for each failure.
///
/// A case says where the failure lies and carries its detail, which owns the code, the class and the text.
public enum OAuthError: IdentityFailure, Equatable {
    /// The server answered with an OAuth error. The code is the server's.
    case refused(ErrorResponse)
    /// A setting or an argument of the caller cannot work.
    case invalidSetting(SettingDefect)
    /// The server's answer is not what the RFC says. Nothing was learnt from it.
    case unusableAnswer(AnswerDefect, host: String)
    /// The server's metadata must not be used.
    case invalidMetadata(MetadataDefect)
    /// The authorization response must not be used.
    case invalidCallback(CallbackDefect)
    /// A JWT cannot be read, or its form is not accepted.
    case invalidToken(JSONWebTokenDefect)
    /// An ID token breaks a rule.
    case invalidIDToken(IDTokenDefect)
    /// Claims about a person must not be used.
    case invalidUserInfo(UserInfoDefect)

    /// The stable code; for ``refused(_:)`` the server's own.
    public var failureCode: String { detail.code }

    /// What a caller should do about it.
    public var failureClass: FailureClass { detail.failureClass }

    /// What happened and what to do.
    public var message: String {
        if case .unusableAnswer(let defect, let host) = self {
            return "The answer of \(host) cannot be used: \(defect.message)"
        }
        return detail.message
    }

    private var detail: any Defect {
        switch self {
        case .refused(let response): response
        case .invalidSetting(let defect): defect
        case .unusableAnswer(let defect, _): defect
        case .invalidMetadata(let defect): defect
        case .invalidCallback(let defect): defect
        case .invalidToken(let defect): defect
        case .invalidIDToken(let defect): defect
        case .invalidUserInfo(let defect): defect
        }
    }
}

/// The detail of one ``OAuthError`` case.
protocol Defect: Sendable, Equatable {
    var code: String { get }
    var failureClass: FailureClass { get }
    var message: String { get }
}
