/// An error for which a sign-in screen has advice of its own.
package protocol ScreenAdvice: IdentityFailure {
    /// The advice; `nil` where the error's own words say more.
    var notice: SignInScreen.Notice? { get }
}

extension TransportError: ScreenAdvice {
    /// The connection where there was none, and the clock where the certificate is one of the future.
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
    /// The words of a screen about `error`; `nil` for a cancellation.
    init?(_ error: any Error) {
        switch error {
        case is CancellationError: return nil
        // The person knows nothing of a walk; what ended it is what helps.
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
