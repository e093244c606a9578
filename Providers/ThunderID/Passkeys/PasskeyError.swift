import Foundation
import IdentityKit

/// Why there is no passkey's response.
public enum PasskeyError: IdentityFailure, Hashable, CaseIterable {
    /// There are no passkeys here: the system has none, or the app brings no ``PasskeyAuthenticator``.
    case notSupported
    /// The device makes no passkeys as it is set up, such as without a passcode.
    case deviceNotReady
    /// The app is not associated with the relying party's domain: the entitlement `webcredentials:DOMAIN` is missing, the
    /// app is not listed in the domain's `apple-app-site-association`, or the system has not been able to read it yet.
    case domainNotAssociated
    /// There is no passkey that the server accepts.
    case noCredential
    /// There is a passkey of the person's already, so no other one was made.
    case alreadyRegistered
    /// The person gave up. A ``PasskeyAuthenticator`` throws `CancellationError` for it.
    case cancelled
    /// The system does not let the app ask now: it has no window in front, or another question is open.
    case notAllowed
    case failed

    /// A stable code, such as `passkey_domain_not_associated`.
    public var failureCode: String {
        switch self {
        case .notSupported: "passkey_not_supported"
        case .deviceNotReady: "passkey_device_not_ready"
        case .domainNotAssociated: "passkey_domain_not_associated"
        case .noCredential: "passkey_no_credential"
        case .alreadyRegistered: "passkey_already_registered"
        case .cancelled: "passkey_cancelled"
        case .notAllowed: "passkey_not_allowed"
        case .failed: "passkey_failed"
        }
    }

    /// Unavailable where there are no passkeys, transient for what may work in another moment.
    public var failureClass: FailureClass {
        switch self {
        case .notSupported, .deviceNotReady: .unavailable
        case .cancelled, .notAllowed, .failed: .transient
        case .domainNotAssociated, .noCredential, .alreadyRegistered: .definitive
        }
    }

    public var message: String {
        switch self {
        case .notSupported: "This sign-in asks for a passkey, which this app cannot use here."
        case .deviceNotReady: "This device is not set up for passkeys. Set a passcode, and try again."
        case .domainNotAssociated: "This app is not set up for passkeys of this server. Sign in another way."
        case .noCredential: "There is no passkey for this sign-in here. Sign in another way."
        case .alreadyRegistered: "There is a passkey for this account here already."
        case .cancelled: "The passkey was not used."
        case .notAllowed: "A passkey cannot be asked for now. Sign in while the app is in front."
        case .failed: "The passkey could not be used. Try again."
        }
    }
}

extension PasskeyError {
    /// The meaning of an error of the system.
    ///
    /// `ASAuthorizationError` has few codes for passkeys: a missing passkey and a person who gives up are one code, and so are
    /// all requests that the system refuses. The failure reason, a text, tells them apart as far as anything does.
    /// - Parameters:
    ///   - domain: the error's domain.
    ///   - code: its code.
    ///   - reason: its `NSLocalizedFailureReason`.
    ///   - relyingPartyID: whose passkey was asked for.
    init(domain: String, code: Int, reason: String?, relyingPartyID: String) {
        switch (domain, code) {
        case (Self.authorizationDomain, 1001):
            // Nothing is said about a person who gives up. The text is in the person's language.
            self = reason?.isEmpty ?? true ? .cancelled : .noCredential
        case (Self.authorizationDomain, 1003), (Self.authorizationDomain, 1005):
            self = .noCredential
        case (Self.authorizationDomain, 1004):
            self = Self.meaning(ofRefusal: reason ?? "", relyingPartyID)
        // The system has reported this in WebKit's words too.
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

    /// The texts about the association name the domain, in every language.
    private static func meaning(ofRefusal reason: String, _ relyingPartyID: String) -> PasskeyError {
        if reason.contains(relyingPartyID) || reason.contains("associat") { return .domainNotAssociated }
        return reason.contains("in progress") ? .notAllowed : .failed
    }
}

extension IAMError {
    /// The meaning of a passkey's failure in the documented codes.
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
