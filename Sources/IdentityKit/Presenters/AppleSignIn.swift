#if canImport(AuthenticationServices)
import AuthenticationServices
import Foundation

extension NativeSignIn {
    /// Sign in with Apple, shown over the app's front window. The app needs the capability "Sign in with Apple".
    ///
    /// When the person withdraws their consent in the system's settings, the session ends at once if an ``IdentityState``
    /// exists. If none exists at that time, the session ends at the next call of ``IdentityState/refresh()``. In a simulator,
    /// no withdrawal is noticed.
    public static var apple: NativeSignIn { asking(over: { FrontWindow.current }) }

    #if !os(watchOS)
    /// Sign in with Apple for an app with several windows, or for an extension. Not available on watchOS, which has no
    /// windows.
    /// - Parameter anchor: returns the window to show the sheet over; `nil` when there is none at the moment.
    public static func apple(
        over anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
    ) -> NativeSignIn {
        asking(over: anchor)
    }
    #endif

    private static func asking(
        over anchor: @escaping @MainActor @Sendable () -> AuthorizationSheet.Anchor?
    ) -> NativeSignIn {
        var signIn = NativeSignIn(vendor: "apple") { nonce in
            try await AuthorizationSheet.show(over: anchor, meaning: Self.meaning) { sheet in
                let request = ASAuthorizationAppleIDProvider().createRequest()
                request.requestedScopes = [.fullName, .email]
                request.nonce = nonce
                sheet.perform(request)
            } response: { credential in
                (credential as? ASAuthorizationAppleIDCredential).flatMap(Self.answer)
            }
        }
        // A simulator of iOS 18 or later reports a withdrawal for everybody who is signed in.
        #if !targetEnvironment(simulator)
        signIn.hasWithdrawn = { user in
            await withCheckedContinuation { continuation in
                ASAuthorizationAppleIDProvider().getCredentialState(forUserID: user) { state, error in
                    // Only `revoked` means a withdrawal; `notFound` and an error do not. Beside an error, `state` has no
                    // meaning, and may be `revoked`, because that has the raw value 0.
                    continuation.resume(returning: error == nil && state == .revoked)
                }
            }
        }
        #endif
        signIn.withdrawals = {
            AsyncStream { continuation in
                let name = ASAuthorizationAppleIDProvider.credentialRevokedNotification
                let observer = Observer(
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                        continuation.yield()
                    })
                continuation.onTermination = { _ in observer.stop() }
            }
        }
        return signIn
    }

    private static func answer(_ credential: ASAuthorizationAppleIDCredential) -> Answer? {
        guard let token = credential.identityToken else { return nil }
        let name = credential.fullName.map { name in
            [name.givenName, name.familyName].compactMap(\.self).joined(separator: " ")
        }
        return Answer(
            token: Secret(String(decoding: token, as: UTF8.self)), user: credential.user,
            profile: AccountProfile(displayName: name, email: credential.email))
    }

    @MainActor private static func meaning(_ failure: AuthorizationSheet.Failure) -> any Error {
        switch failure {
        case .noWindow: return WebAuthenticationError.noWindow
        case .unreadable: return WebAuthenticationError.failed("Apple returned no token")
        case .system(let error):
            if let error = error as? ASAuthorizationError, error.code == .canceled { return CancellationError() }
            return WebAuthenticationError.failed(error.localizedDescription)
        }
    }
}

/// The registration of an observer at the notification center, which `stop()` removes.
private struct Observer: @unchecked Sendable {
    // Unchecked conformance is sound: the token is only passed to the notification center, which any thread may call.
    private let token: any NSObjectProtocol

    init(_ token: any NSObjectProtocol) { self.token = token }

    func stop() { NotificationCenter.default.removeObserver(token) }
}
#endif
