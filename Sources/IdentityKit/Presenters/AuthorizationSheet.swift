#if canImport(AuthenticationServices)
import AuthenticationServices
import Foundation

/// A request for a credential, for which the system shows a sheet or suggests passkeys above the keyboard. The object lives
/// until the request has ended.
@MainActor
package final class AuthorizationSheet: NSObject {
    #if os(watchOS)
    /// The screen of a watch, which has no windows.
    package enum Anchor: Sendable { case screen }
    #else
    /// The window over which the system shows the sheet.
    package typealias Anchor = ASPresentationAnchor
    #endif

    /// Reasons why the request brought no credential.
    package enum Failure {
        case noWindow
        case unreadable
        case system(any Error)
    }

    /// The pending suggestion of passkeys. Every new request cancels it, because the system allows an app only one request
    /// at a time.
    private static weak var suggestion: AuthorizationSheet?

    private let window: Anchor
    private let meaning: @MainActor (Failure) -> any Error
    private let read: @MainActor (any ASAuthorizationCredential) -> Bool
    private var finish: ((any Error)?) -> Void = { _ in }
    private var controller: ASAuthorizationController?

    private init(
        over window: Anchor, _ meaning: @escaping @MainActor (Failure) -> any Error,
        read: @escaping @MainActor (any ASAuthorizationCredential) -> Bool
    ) {
        self.window = window
        self.meaning = meaning
        self.read = read
    }

    /// Starts a request and waits until the person has answered it.
    /// - Parameters:
    ///   - anchor: returns the window to show the sheet over; `nil` when there is none.
    ///   - meaning: maps a failure to the error to throw.
    ///   - begin: starts the request with `perform(_:)` or `suggest(_:)`.
    ///   - response: reads the credential; returns `nil` for a credential of another kind, or without a token.
    /// - Throws: `CancellationError`, or the error that `meaning` returns.
    package static func show<Response: Sendable>(
        over anchor: @MainActor @Sendable () -> Anchor?,
        meaning: @escaping @MainActor (Failure) -> any Error, _ begin: @MainActor (AuthorizationSheet) -> Void,
        response: @escaping @MainActor (any ASAuthorizationCredential) -> Response?
    ) async throws -> Response {
        guard let window = anchor() else { throw meaning(.noWindow) }
        suggestion?.cancel()
        var result: Response?
        let sheet = AuthorizationSheet(over: window, meaning) { credential in
            result = response(credential)
            return result != nil
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                sheet.finish = { error in
                    // Resume only once: the system may still report a result of a cancelled request.
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
        guard let result else { throw meaning(.unreadable) }
        return result
    }

    package func perform(_ request: ASAuthorizationRequest) {
        prepare(request).performRequests()
    }

    #if os(iOS) || os(visionOS)
    /// Suggests passkeys above the keyboard, until the next request begins.
    package func suggest(_ request: ASAuthorizationRequest) {
        Self.suggestion = self
        prepare(request).performAutoFillAssistedRequests()
    }
    #endif

    private func prepare(_ request: ASAuthorizationRequest) -> ASAuthorizationController {
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        #if !os(watchOS)
        controller.presentationContextProvider = self
        #endif
        self.controller = controller
        return controller
    }

    private func cancel() {
        // On watchOS and older versions of tvOS the sheet stays, but its answer is ignored.
        #if !os(watchOS)
        if #available(tvOS 18, *) { controller?.cancel() }
        #endif
        finish(CancellationError())
    }
}

extension AuthorizationSheet: ASAuthorizationControllerDelegate {
    package func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        finish(read(authorization.credential) ? nil : meaning(.unreadable))
    }

    package func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        finish(meaning(.system(error)))
    }
}

#if !os(watchOS)
extension AuthorizationSheet: ASAuthorizationControllerPresentationContextProviding {
    package func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
        window
    }
}
#endif
#endif
