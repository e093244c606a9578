#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
import AuthenticationServices
import Foundation
import IdentityKit

/// Asks for passkeys with the system's sheet. The app must be listed under `webcredentials` of the relying party's
/// `apple-app-site-association`.
///
/// visionOS, iOS before 17.4 and macOS before 13.5 cannot be told of ``PasskeyCreation/excludedCredentials``: there a person
/// who has a passkey may make another one, and it is for the server to accept or refuse it.
public struct SystemPasskeyAuthenticator: PasskeyAuthenticator {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

    /// An authenticator for an app with several windows, or for an extension.
    /// - Parameter anchor: the window to show the sheet over; `nil` when there is none at the moment.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?) {
        self.anchor = anchor
    }

    /// An authenticator that shows the sheet over the window in front. An extension has none that the system names: name
    /// its window with ``init(anchor:)``.
    public init() {
        self.init { FrontWindow.current }
    }

    /// Signs the challenge with a passkey. What ``suggestedAssertion(for:)`` suggests at the moment ends.
    /// - Throws: `CancellationError` when the person gives up; otherwise ``PasskeyError``.
    public func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        try await AuthorizationSheet.show(over: anchor, meaning: Self.meaning(request.relyingPartyID)) { sheet in
            sheet.perform(Self.question(request))
        } response: {
            Self.assertion($0)
        }
    }

    #if os(iOS) || os(visionOS)
    /// Whether the system suggests passkeys above the keyboard: on iOS and visionOS it does.
    public var suggestsPasskeys: Bool { true }

    /// Suggests the passkeys of this device above the keyboard, while a field with the content type `username` has the
    /// focus, until the person takes one. One suggestion is made at a time: a later question ends it.
    /// - Throws: `CancellationError` when the task is cancelled or something else is asked for; otherwise ``PasskeyError``.
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

    /// Makes a passkey. ``PasskeyCreation/excludedCredentials`` counts where the system knows it: not on visionOS.
    /// - Throws: `CancellationError` when the person gives up; otherwise ``PasskeyError``.
    public func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        try await AuthorizationSheet.show(over: anchor, meaning: Self.meaning(creation.relyingPartyID)) { sheet in
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: creation.relyingPartyID)
            let wish = provider.createCredentialRegistrationRequest(
                challenge: creation.challenge, name: creation.userName, userID: creation.userID)
            wish.userVerificationPreference = .init(rawValue: creation.userVerification)
            #if !os(visionOS)
            // visionOS does not have it in any version.
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
