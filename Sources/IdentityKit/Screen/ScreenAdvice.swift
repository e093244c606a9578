/// An error for which a sign-in screen can show advice in place of the error's own message.
package protocol ScreenAdvice: IdentityFailure {
    /// The advice; `nil` to show the error's own message.
    var notice: SignInScreen.Notice? { get }
}

extension TransportError: ScreenAdvice {
    /// Advice about the connection when the server could not be reached or did not respond, and about the device's
    /// clock when a certificate is not valid yet; `nil` for other errors.
    package var notice: SignInScreen.Notice? {
        switch self {
        case .connectionRefused, .hostUnreachable, .notSentInTime, .timedOut, .connectionLost, .notSent: .offline
        case .untrustedCertificate(_, .notYetValid): .clockWrong
        case .untrustedCertificate, .proxiedLoopback, .privateAddress, .insecureConnection, .responseTooLarge, .other:
            nil
        }
    }
}

extension SignInScreen.Notice {
    /// Makes the notice of a screen about `error`; `nil` for a cancellation, also as the underlying error of a
    /// ``/IdentityCore/ChainError`` or ``/IdentityCore/ProviderError``.
    init?(_ error: any Error) {
        switch error {
        case is CancellationError: return nil
        // Show the error of the provider, because the chain of providers means nothing to the person.
        case let error as ChainError where error.underlying != nil:
            guard let cause = error.underlying, let notice = Self(cause) else { return nil }
            self = notice
        case let error as ProviderError:
            guard let notice = Self(error.underlying) else { return nil }
            self = notice
        case let error as any ScreenAdvice: self = error.notice ?? .words(error.scrubbedMessage)
        default: self = .words(error.scrubbedMessage)
        }
    }
}
