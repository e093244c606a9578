#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
import AuthenticationServices
import Foundation
import IdentityKit

/// One question of the system's for a passkey, from its beginning to its end: a sheet, or suggestions above the keyboard.
@MainActor
final class PasskeySheet: NSObject {
    /// What is suggested at the moment. The system has one question open for an app, and refuses another one meanwhile.
    private static weak var suggestion: PasskeySheet?

    private let window: ASPresentationAnchor
    private let relyingPartyID: String
    private let read: @MainActor (any ASAuthorizationCredential) -> Bool
    private var finish: ((any Error)?) -> Void = { _ in }
    private var controller: ASAuthorizationController?

    private init(
        over window: ASPresentationAnchor, for relyingPartyID: String,
        read: @escaping @MainActor (any ASAuthorizationCredential) -> Bool
    ) {
        self.window = window
        self.relyingPartyID = relyingPartyID
        self.read = read
    }

    /// Asks, and waits for the person.
    /// - Throws: `CancellationError`, ``PasskeyError``.
    static func show<Response: Sendable>(
        over anchor: @MainActor @Sendable () -> ASPresentationAnchor?, for relyingPartyID: String,
        _ begin: @MainActor (PasskeySheet) -> Void,
        response: @escaping @MainActor (any ASAuthorizationCredential) -> Response?
    ) async throws -> Response {
        guard let window = anchor() else { throw PasskeyError.notAllowed }
        suggestion?.cancel()
        var result: Response?
        let sheet = PasskeySheet(over: window, for: relyingPartyID) { credential in
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
            Task { @MainActor in sheet.cancel() }
        }
        guard let result else { throw PasskeyError.failed }
        return result
    }

    func perform(_ request: ASAuthorizationRequest) {
        prepare(request).performRequests()
    }

    #if os(iOS) || os(visionOS)
    /// Suggests passkeys above the keyboard.
    func suggest(_ request: ASAuthorizationRequest) {
        Self.suggestion = self
        prepare(request).performAutoFillAssistedRequests()
    }
    #endif

    private func prepare(_ request: ASAuthorizationRequest) -> ASAuthorizationController {
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        controller.presentationContextProvider = self
        self.controller = controller
        return controller
    }

    private func cancel() {
        controller?.cancel()
        finish(CancellationError())
    }
}

extension PasskeySheet: ASAuthorizationControllerDelegate {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        finish(read(authorization.credential) ? nil : PasskeyError.failed)
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        let error = error as NSError
        let meaning = PasskeyError(
            domain: error.domain, code: error.code, reason: error.localizedFailureReason,
            relyingPartyID: relyingPartyID)
        finish(meaning == .cancelled ? CancellationError() : meaning)
    }
}

extension PasskeySheet: ASAuthorizationControllerPresentationContextProviding {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        window
    }
}
#endif
