#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
import AuthenticationServices
import Foundation
import IdentityKit

/// Gets passkey responses through the system's sheet. The relying party's `apple-app-site-association` must list the app
/// under `webcredentials`.
///
/// visionOS, iOS before 17.4 and macOS before 13.5 do not support ``PasskeyCreation/excludedCredentials``. On these systems,
/// a person who already has a passkey can create another one, and the server accepts or refuses it.
public struct SystemPasskeyAuthenticator: PasskeyAuthenticator {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

    /// Creates an authenticator for an app with several windows, or for an extension.
    /// - Parameter anchor: returns the window for the sheet. If it returns `nil`, the request fails with
    ///   ``PasskeyError/notAllowed``.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?) {
        self.anchor = anchor
    }

    /// Creates an authenticator that shows the sheet over the app's active window. An extension has no window of its own
    /// and must use ``init(anchor:)``.
    public init() {
        self.init { FrontWindow.current }
    }

    /// Signs a request's challenge with a passkey, and ends a pending ``suggestedAssertion(for:)``.
    /// - Throws: `CancellationError` if the person cancels or the task is cancelled; otherwise ``PasskeyError``.
    public func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        try await AuthorizationSheet.show(over: anchor, meaning: Self.meaning(request.relyingPartyID)) { sheet in
            sheet.perform(Self.question(request))
        } response: {
            Self.assertion($0)
        }
    }

    #if os(iOS) || os(visionOS)
    /// Always `true` on iOS and visionOS, which suggest passkeys above the keyboard.
    public var suggestsPasskeys: Bool { true }

    /// Suggests this device's passkeys above the keyboard while a field with the content type `username` has the focus.
    /// Returns when the person has chosen a passkey. A later request ends the suggestion.
    /// - Throws: `CancellationError` if the person cancels, the task is cancelled, or a later request begins; otherwise
    ///   ``PasskeyError``.
    public func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        try await AuthorizationSheet.show(over: anchor, meaning: Self.meaning(request.relyingPartyID)) { sheet in
            sheet.suggest(Self.question(request))
        } response: {
            Self.assertion($0)
        }
    }
    #endif

    private static func meaning(_ relyingPartyID: String) -> @MainActor (AuthorizationSheet.Failure) -> any Error {
        { failure in
            switch failure {
            case .noWindow: return PasskeyError.notAllowed
            case .unreadable: return PasskeyError.failed
            case .system(let error):
                let error = error as NSError
                let meaning = PasskeyError(
                    domain: error.domain, code: error.code, reason: error.localizedFailureReason,
                    relyingPartyID: relyingPartyID)
                return meaning == .cancelled ? CancellationError() : meaning
            }
        }
    }

    @MainActor
    private static func question(
        _ request: PasskeyRequest
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
            relyingPartyIdentifier: request.relyingPartyID)
        let question = provider.createCredentialAssertionRequest(challenge: request.challenge)
        question.allowedCredentials = request.allowedCredentials.map {
            ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
        }
        question.userVerificationPreference = .init(rawValue: request.userVerification)
        return question
    }

    private static func assertion(_ credential: any ASAuthorizationCredential) -> PasskeyAssertion? {
        guard let assertion = credential as? ASAuthorizationPlatformPublicKeyCredentialAssertion else { return nil }
        return PasskeyAssertion(
            credentialID: assertion.credentialID, clientDataJSON: assertion.rawClientDataJSON,
            authenticatorData: assertion.rawAuthenticatorData, signature: assertion.signature,
            userHandle: assertion.userID)
    }

    /// Creates a passkey, and ends a pending suggestion of passkeys.
    ///
    /// Ignores ``PasskeyCreation/excludedCredentials`` on visionOS, before iOS 17.4 and before macOS 13.5.
    /// - Throws: `CancellationError` if the person cancels or the task is cancelled; otherwise ``PasskeyError``.
    public func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        try await AuthorizationSheet.show(over: anchor, meaning: Self.meaning(creation.relyingPartyID)) { sheet in
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: creation.relyingPartyID)
            let wish = provider.createCredentialRegistrationRequest(
                challenge: creation.challenge, name: creation.userName, userID: creation.userID)
            wish.userVerificationPreference = .init(rawValue: creation.userVerification)
            #if !os(visionOS)
            // No version of visionOS supports excluded credentials.
            if #available(iOS 17.4, macOS 13.5, *) {
                wish.excludedCredentials = creation.excludedCredentials.map {
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
                }
            }
            #endif
            sheet.perform(wish)
        } response: { credential in
            guard let registration = credential as? ASAuthorizationPlatformPublicKeyCredentialRegistration,
                let attestation = registration.rawAttestationObject
            else { return nil }
            return PasskeyRegistration(
                credentialID: registration.credentialID, clientDataJSON: registration.rawClientDataJSON,
                attestationObject: attestation)
        }
    }
}
#endif
