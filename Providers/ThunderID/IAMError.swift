import Foundation
import IdentityKit
import OAuthKit

/// A ThunderID call failed.
public struct IAMError: IdentityFailure, Equatable {
    /// The documented code.
    public let code: IAMErrorCode
    /// One sentence: what happened and what to do.
    public let message: String
    /// The server's own code, such as `FET-1005`, when it gave one.
    public let serverCode: String?

    /// An error.
    public init(_ code: IAMErrorCode, _ message: String, serverCode: String? = nil) {
        self.code = code
        self.message = message
        self.serverCode = serverCode
    }

    /// The documented code's value, such as `AUTHENTICATION_FAILED`.
    public var failureCode: String { code.rawValue }

    /// Transient for what passes by itself.
    public var failureClass: FailureClass {
        switch code {
        case .networkError, .requestTimeout, .serverError: .transient
        default: .definitive
        }
    }
}

extension IAMError {
    /// The text for a wrong password and for an unknown user alike, so that nobody learns which accounts exist.
    static let wrongCredentials = "The user name or the password is wrong. Try again."

    /// What a failure of the transport means.
    init(_ error: TransportError) {
        if case .timedOut = error {
            self.init(.requestTimeout, error.message)
        } else {
            self.init(.networkError, error.message)
        }
    }

    /// What a failure of OAuth means.
    init(_ error: OAuthError) {
        switch error {
        case _ where error.failureClass == .transient:
            self.init(.serverError, error.message)
        case .refused(let refusal) where refusal.error == .invalidGrant:
            self.init(.invalidGrant, error.message, serverCode: error.failureCode)
        case .refused(let refusal) where refusal.error == .consentRequired:
            self.init(.consentRequired, error.message, serverCode: error.failureCode)
        case .refused(let refusal) where refusal.error == .accessDenied:
            self.init(.authenticationFailed, error.message, serverCode: error.failureCode)
        case .refused:
            self.init(.invalidConfiguration, error.message, serverCode: error.failureCode)
        case .invalidSetting, .invalidMetadata:
            self.init(.invalidConfiguration, error.message)
        case .invalidCallback:
            self.init(.invalidGrant, error.message)
        default:
            self.init(.unknownError, error.message)
        }
    }

    /// Runs `body` and says its failures in the words of this type.
    static func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw translated(error)
        }
    }

    /// `error` in the words of this type, where it has any for it.
    static func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as TransportError: IAMError(error)
        case let error as OAuthError: IAMError(error)
        default: error
        }
    }
}
