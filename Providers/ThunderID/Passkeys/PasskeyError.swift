import Foundation
import IdentityKit

/// The reason why a passkey gave no response.
///
/// The failure class is unavailable if the app or device cannot use passkeys at present, transient if a later attempt may
/// succeed, and otherwise definitive.
public enum PasskeyError: StatedFailure, Hashable, CaseIterable {
    /// Passkeys are not supported: the system has none, or the app has no ``PasskeyAuthenticator``.
    case notSupported
    /// The device cannot create passkeys with its present settings, for example because it has no passcode.
    case deviceNotReady
    /// The app is not associated with the relying party's domain. The entitlement `webcredentials:DOMAIN` is missing,
    /// the app is not listed in the domain's `apple-app-site-association`, or the system could not read that file yet.
    case domainNotAssociated
    /// The person has no passkey that the server accepts.
    case noCredential
    /// The person has a passkey for this account already, so no other one was created.
    case alreadyRegistered
    /// The person cancelled. A ``PasskeyAuthenticator`` throws `CancellationError` in this case.
    case cancelled
    /// The system does not allow the request now, because the app has no active window, or another request is pending.
    case notAllowed
    case failed

    package var facts: FailureFacts {
        switch self {
        case .notSupported:
            .unavailable("passkey_not_supported", "This sign-in asks for a passkey, which this app cannot use here.")
        case .deviceNotReady:
            .unavailable(
                "passkey_device_not_ready", "This device is not set up for passkeys. Set a passcode, and try again.")
        case .domainNotAssociated:
            .definitive(
                "passkey_domain_not_associated",
                "This app is not set up for passkeys of this server. Sign in another way.")
        case .noCredential:
            .definitive("passkey_no_credential", "There is no passkey for this sign-in here. Sign in another way.")
        case .alreadyRegistered:
            .definitive("passkey_already_registered", "There is a passkey for this account here already.")
        case .cancelled: .transient("passkey_cancelled", "The passkey was not used.")
        case .notAllowed:
            .transient("passkey_not_allowed", "A passkey cannot be asked for now. Sign in while the app is in front.")
        case .failed: .transient("passkey_failed", "The passkey could not be used. Try again.")
        }
    }
}

extension PasskeyError {
    /// Converts an error of the system.
    ///
    /// `ASAuthorizationError` has only a few codes for passkeys. A missing passkey and a cancellation can share the
    /// code 1001, and all requests that the system refuses share 1004. The failure reason, a localized text, is the
    /// best distinction available.
    /// - Parameters:
    ///   - domain: the domain of the system's error.
    ///   - code: the code of the system's error.
    ///   - reason: the `NSLocalizedFailureReason` of the system's error; `nil` without one.
    ///   - relyingPartyID: the relying party of the requested passkey.
    init(domain: String, code: Int, reason: String?, relyingPartyID: String) {
        switch (domain, code) {
        case (Self.authorizationDomain, 1001):
            // A cancellation has no reason. Any reason means a missing passkey, because the text depends on the language.
            self = reason?.isEmpty ?? true ? .cancelled : .noCredential
        case (Self.authorizationDomain, 1003), (Self.authorizationDomain, 1005):
            self = .noCredential
        case (Self.authorizationDomain, 1004):
            self = Self.meaning(ofRefusal: reason ?? "", relyingPartyID)
        // Some systems report an excluded passkey with an error of WebKit.
        case (Self.authorizationDomain, 1006), (Self.webKitDomain, 8):
            self = .alreadyRegistered
        case (Self.authorizationDomain, 1010):
            self = .deviceNotReady
        default:
            self = .failed
        }
    }

    private static let authorizationDomain = "com.apple.AuthenticationServices.AuthorizationError"
    private static let webKitDomain = "WKErrorDomain"

    /// Returns the error for a refused request. Reasons about a missing association contain the domain in every
    /// language; the other texts are recognized only in English.
    private static func meaning(ofRefusal reason: String, _ relyingPartyID: String) -> PasskeyError {
        if reason.contains(relyingPartyID) || reason.contains("associat") { return .domainNotAssociated }
        return reason.contains("in progress") ? .notAllowed : .failed
    }
}

extension IAMError {
    /// Converts a passkey error to one of the documented codes, and stores it as ``passkeyError``.
    public init(passkeyError: PasskeyError) {
        let code: IAMErrorCode =
            switch passkeyError {
            case .notSupported, .deviceNotReady: .passkeyNotSupported
            case .cancelled: .passkeyCancelled
            case .noCredential: .passkeyNoCredential
            case .domainNotAssociated, .alreadyRegistered, .notAllowed, .failed: .passkeyFailed
            }
        self.init(
            code, passkeyError.message, nil, passkeyError.failureClass, isLocalized: false, passkeyError: passkeyError)
    }
}
