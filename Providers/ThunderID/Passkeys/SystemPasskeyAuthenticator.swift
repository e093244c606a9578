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

    /// An authenticator that shows the sheet over the window in front.
    @available(iOSApplicationExtension, unavailable, message: "Name the window with init(anchor:).")
    @available(macOSApplicationExtension, unavailable, message: "Name the window with init(anchor:).")
    @available(visionOSApplicationExtension, unavailable, message: "Name the window with init(anchor:).")
    public init() {
        self.init { FrontWindow.current }
    }

    /// Signs the challenge with a passkey.
    /// - Throws: `CancellationError` when the person gives up; ``IAMError`` with `mfaFailed` otherwise.
    public func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        try await PasskeySheet.show(over: anchor) { sheet in
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
                relyingPartyIdentifier: request.relyingPartyID)
            let question = provider.createCredentialAssertionRequest(challenge: request.challenge)
            question.allowedCredentials = request.allowedCredentials.map {
                ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
            }
            question.userVerificationPreference = .init(rawValue: request.userVerification)
            sheet.perform([question])
        } response: { credential in
            guard let assertion = credential as? ASAuthorizationPlatformPublicKeyCredentialAssertion else { return nil }
            return PasskeyAssertion(
                credentialID: assertion.credentialID, clientDataJSON: assertion.rawClientDataJSON,
                authenticatorData: assertion.rawAuthenticatorData, signature: assertion.signature,
                userHandle: assertion.userID)
        }
    }

    /// Makes a passkey. ``PasskeyCreation/excludedCredentials`` counts where the system knows it: not on visionOS.
    /// - Throws: `CancellationError` when the person gives up; ``IAMError`` with `mfaFailed` otherwise.
    public func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        try await PasskeySheet.show(over: anchor) { sheet in
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
            sheet.perform([wish])
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

/// One sheet of the system's, from its appearance to its end.
@MainActor
private final class PasskeySheet: NSObject {
    private let window: ASPresentationAnchor
    private let read: @MainActor (any ASAuthorizationCredential) -> Bool
    private var finish: ((any Error)?) -> Void = { _ in }
    private var controller: ASAuthorizationController?

    private init(over window: ASPresentationAnchor, read: @escaping @MainActor (any ASAuthorizationCredential) -> Bool)
    {
        self.window = window
        self.read = read
    }

    /// Shows a sheet and waits for the person.
    static func show<Response: Sendable>(
        over anchor: @MainActor @Sendable () -> ASPresentationAnchor?,
        _ begin: @MainActor (PasskeySheet) -> Void,
        response: @escaping @MainActor (any ASAuthorizationCredential) -> Response?
    ) async throws -> Response {
        guard let window = anchor() else {
            throw IAMError(
                .mfaFailed, "There is no window to ask for the passkey over. Sign in while the app is in front.")
        }
        var result: Response?
        let sheet = PasskeySheet(over: window) { credential in
            result = response(credential)
            return result != nil
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                sheet.finish = { error in
                    // Once: a cancelled sheet may still report something.
                    sheet.finish = { _ in }
                    sheet.controller = nil
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
                guard !Task.isCancelled else { return sheet.finish(CancellationError()) }
                begin(sheet)
            }
        } onCancel: {
            Task { @MainActor in
                sheet.controller?.cancel()
                sheet.finish(CancellationError())
            }
        }
        guard let result else { throw Self.refused }
        return result
    }

    func perform(_ requests: [ASAuthorizationRequest]) {
        let controller = ASAuthorizationController(authorizationRequests: requests)
        controller.delegate = self
        controller.presentationContextProvider = self
        self.controller = controller
        controller.performRequests()
    }

    fileprivate static var refused: IAMError { IAMError(.mfaFailed, "The passkey could not be used. Try again.") }
}

extension PasskeySheet: ASAuthorizationControllerDelegate {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        finish(read(authorization.credential) ? nil : Self.refused)
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
        finish(isCancelled ? CancellationError() : Self.refused)
    }
}

extension PasskeySheet: ASAuthorizationControllerPresentationContextProviding {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        window
    }
}
#endif
