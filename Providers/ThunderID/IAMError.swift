import Foundation
import IdentityKit
import IdentityOAuth

/// The error of a ThunderID call.
public struct IAMError: IdentityFailure, Equatable {
    public let code: IAMErrorCode
    public let message: String
    /// The server's own code, such as `FET-1005`; `nil` if there is none.
    public let serverCode: String?
    /// The class of the failure, such as `unavailable` for a passkey that this device cannot use.
    public let failureClass: FailureClass
    /// Whether ``message`` is the server's text, to be shown unchanged, and not an English sentence of this library.
    public let isLocalized: Bool
    /// The precise reason for a failure with a passkey; `nil` for other errors. Several reasons have the same ``code``.
    public let passkeyError: PasskeyError?

    /// Whether the error came in a callback without a `state`, which any app may have sent. The sign-ins in a browser
    /// therefore still wait for their callbacks. Show the error, and offer ``ThunderIDClient/stopRedirectSignIns()``.
    public let isUnconfirmed: Bool

    /// Whether the person has to sign in: there is no usable session, or the flow has expired.
    public var asksForSignIn: Bool { code == .sessionExpired }

    /// Creates an error whose message is an English sentence.
    /// - Parameters:
    ///   - code: the documented code.
    ///   - message: a sentence for people about the failure and its remedy.
    ///   - serverCode: the server's own code; `nil` if there is none.
    ///   - failureClass: the class of the failure; `nil` for the code's usual class.
    public init(
        _ code: IAMErrorCode, _ message: String, serverCode: String? = nil, failureClass: FailureClass? = nil
    ) {
        self.init(code, message, serverCode, failureClass, isLocalized: false)
    }

    /// Creates an error with the server's text.
    /// - Parameters:
    ///   - code: the documented code.
    ///   - message: the server's text, in the person's language if available.
    ///   - serverCode: the server's own code; `nil` if there is none.
    ///   - failureClass: the class of the failure; `nil` for the code's usual class.
    public init(
        _ code: IAMErrorCode, localized message: String, serverCode: String? = nil, failureClass: FailureClass? = nil
    ) {
        self.init(code, message, serverCode, failureClass, isLocalized: true)
    }

    init(
        _ code: IAMErrorCode, _ message: String, _ serverCode: String?, _ failureClass: FailureClass?,
        isLocalized: Bool, passkeyError: PasskeyError? = nil, isUnconfirmed: Bool = false
    ) {
        self.code = code
        self.message = message
        self.serverCode = serverCode
        self.failureClass = failureClass ?? code.usualClass
        self.isLocalized = isLocalized
        self.passkeyError = passkeyError
        self.isUnconfirmed = isUnconfirmed
    }

    public init(code: IAMErrorCode, message: String) {
        self.init(code, message)
    }

    /// The documented code's value, such as `AUTHENTICATION_FAILED`.
    public var failureCode: String { code.rawValue }
}

/// The name of ``IAMError`` in ThunderID's SDK.
public typealias ThunderIDError = IAMError

extension IAMErrorCode {
    /// The usual class of the code: transient for network and server failures, otherwise definitive.
    var usualClass: FailureClass {
        switch self {
        case .networkError, .requestTimeout, .serverError: .transient
        default: .definitive
        }
    }
}

extension IAMError {
    /// The error of ``ThunderIDClient/updateUserProfile(payload:userId:of:)`` if another session has begun since the app showed
    /// the person's data. Nothing was changed.
    public static let sessionChanged = IAMError(
        .unknownError,
        "Another session began since the person was shown, and nothing was changed. Look who is signed in, and try again.",
        failureClass: .definitive)

    /// The text for both a wrong password and an unknown user, so that it does not reveal which accounts exist.
    static let wrongCredentials = "The user name or the password is wrong. Try again."

    /// The text for an unknown user if no password was requested.
    static let unknownDetails = "This cannot go on with these details. Check them and try again."

    init(_ error: TransportError) {
        if case .timedOut = error {
            self.init(.requestTimeout, error.message)
        } else {
            self.init(.networkError, error.message, failureClass: error.failureClass)
        }
    }

    init(_ error: OAuthError) {
        switch error {
        case _ where error.failureClass == .transient:
            self.init(.serverError, error.message)
        case .refused(let refusal) where refusal.error == .invalidDPoPProof:
            self.init(
                .invalidConfiguration,
                "The server refused the proof of a key, or wants one. Set bindsTokens where the application wants it.",
                serverCode: error.failureCode)
        case .refused(let refusal):
            self.init(Self.code(for: refusal.error), error.message, serverCode: error.failureCode)
        case .invalidSetting, .invalidMetadata, .invalidRegistration, .invalidResource:
            self.init(.invalidConfiguration, error.message)
        case .invalidCallback(.unconfirmedError(let reported)):
            self.init(
                .invalidGrant,
                "Somebody reported \(reported), unconfirmed: every app and page can. The sign-in goes on.",
                reported, nil, isLocalized: false, isUnconfirmed: true)
        case .invalidCallback:
            self.init(.invalidGrant, error.message)
        case .invalidIDToken(.subjectMismatch):
            self.init(.authenticationFailed, error.message)
        case .invalidIDToken(.authenticationContextMissing), .invalidIDToken(.authenticationContextMismatch),
            .invalidIDToken(.authenticationTooOld):
            self.init(.mfaRequired, error.message)
        case .invalidIDToken, .invalidToken, .invalidUserInfo:
            self.init(.invalidGrant, error.message)
        case .invalidResponse:
            self.init(.serverError, error.message, failureClass: error.failureClass)
        }
    }

    private static func code(for refusal: OAuthErrorCode) -> IAMErrorCode {
        switch refusal {
        case .invalidGrant, .expiredToken: .invalidGrant
        case .consentRequired: .consentRequired
        case .accessDenied: .authenticationFailed
        case .loginRequired, .accountSelectionRequired, .invalidToken: .sessionExpired
        case .interactionRequired, .insufficientUserAuthentication: .mfaRequired
        case .insufficientScope: .consentRequired
        default: .invalidConfiguration
        }
    }

    /// Converts a session's error. The code is `sessionExpired` if the session is missing, has ended, cannot be refreshed,
    /// belongs to another configuration, or is suspended: stored, but usually unusable until the person signs in again.
    init(_ error: SessionError) {
        switch error {
        case .notSignedIn:
            self.init(.sessionExpired, "Nobody is signed in. Sign in first.")
        case .ended(_, let reason):
            self.init(.sessionExpired, reason.message(onEndOf: "The session"))
        case .belongsElsewhere(_, let reason):
            self.init(.sessionExpired, "The session cannot be used here: \(reason) Signing in replaces it.")
        case .suspended:
            self.init(.sessionExpired, error.message)
        case .cannotRefresh:
            self.init(
                .sessionExpired,
                "The access token has expired or was refused, and there is nothing to refresh it with. Sign in again.")
        case .insufficientScope(_, let missing):
            self.init(
                .consentRequired,
                "The session lacks \(missing.sorted().joined(separator: ", ")). Sign in again and ask for it.")
        case .refreshInProgress:
            self.init(.requestTimeout, "The session is being refreshed elsewhere and that takes too long. Try again.")
        case .stepUpNeeded:
            self.init(.consentRequired, error.message)
        case .refreshPostponed, .refreshRefused:
            self.init(.serverError, error.message)
        case .clientRefused, .resourceNotGranted:
            self.init(.invalidConfiguration, error.message)
        }
    }

    /// Runs `body`, and converts its transport, OAuth and passkey errors to this type. A passkey that the person
    /// cancelled becomes a `CancellationError`; other errors stay.
    static func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw translated(error)
        }
    }

    static func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as TransportError: IAMError(error)
        case let error as OAuthError: IAMError(error)
        case let error as PasskeyError: error == .cancelled ? CancellationError() : IAMError(passkeyError: error)
        default: error
        }
    }

    /// Converts any error to this type, and passes a cancellation through.
    static func documented(_ error: any Error) -> any Error {
        switch translated(error) {
        case let error as IAMError: error
        case let error as CancellationError: error
        case let error as SessionError: IAMError(error)
        case is SessionChangedError: IAMError.sessionChanged
        case let error as ServerURLError: IAMError(.invalidConfiguration, error.message)
        case let error: IAMError(.unknownError, error.identityMessage, failureClass: error.identityFailureClass)
        }
    }
}

extension IAMError: ScreenAdvice {
    /// The notice about the connection if the server could not be reached; otherwise `nil`.
    package var notice: SignInScreen.Notice? {
        failureClass == .transient && (code == .networkError || code == .requestTimeout) ? .offline : nil
    }
}
