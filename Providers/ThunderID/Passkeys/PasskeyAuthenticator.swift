/// Gets passkey responses from a person: by the system's sheet on Apple's systems, or simulated in tests.
public protocol PasskeyAuthenticator: Sendable {
    /// Signs a request's challenge with a passkey that the person chooses.
    /// - Throws: `CancellationError` if the person cancels; a ``PasskeyError``, which the sign-in converts to
    ///   ``IAMError``. Any other error is thrown by the sign-in unchanged.
    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
    /// Creates a passkey.
    /// - Throws: `CancellationError` if the person cancels; a ``PasskeyError``, which the sign-in converts to
    ///   ``IAMError``. Any other error is thrown by the sign-in unchanged.
    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration

    /// Whether ``suggestedAssertion(for:)`` suggests passkeys while a person types, as iOS and visionOS do above the
    /// keyboard. Otherwise the person has to choose to use one.
    var suggestsPasskeys: Bool { get }
    /// Suggests passkeys while the person types, and signs the challenge with the chosen one. The suggestion ends when
    /// the task is cancelled.
    /// - Throws: as ``assertion(for:)``.
    func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
}

extension PasskeyAuthenticator {
    /// `false` by default, without suggestions.
    public var suggestsPasskeys: Bool { false }

    /// Suggests nothing.
    /// - Throws: ``PasskeyError/notSupported``.
    public func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        throw PasskeyError.notSupported
    }
}
