/// Gets the responses of passkeys from the person, usually through the system's sheet. An authenticator for tests can
/// create the responses itself.
public protocol PasskeyAuthenticator: Sendable {
    /// Signs a request's challenge with a passkey that the person chooses.
    /// - Throws: `CancellationError` if the person cancels, otherwise a ``PasskeyError``. The sign-in converts a
    ///   ``PasskeyError`` to an ``IAMError``, and throws an app's own errors unchanged.
    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
    /// Creates a passkey with the person's agreement, and returns its public key for the server.
    /// - Throws: `CancellationError` if the person cancels, otherwise a ``PasskeyError``. The sign-in converts a
    ///   ``PasskeyError`` to an ``IAMError``, and throws an app's own errors unchanged.
    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration

    /// Whether ``suggestedAssertion(for:)`` suggests passkeys while a person types, as iOS and visionOS do above the
    /// keyboard. If it is `false`, the sign-in calls ``assertion(for:)`` instead.
    var suggestsPasskeys: Bool { get }
    /// Suggests passkeys while the person types, and signs the challenge with the chosen one. The suggestion ends when
    /// the task is cancelled.
    /// - Throws: as ``assertion(for:)``. A sign-in ignores the error and waits for the typed values.
    func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
}

extension PasskeyAuthenticator {
    /// `false` by default, for an authenticator without suggestions.
    public var suggestsPasskeys: Bool { false }

    /// Suggests nothing; the default for an authenticator without suggestions.
    /// - Throws: ``PasskeyError/notSupported``.
    public func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        throw PasskeyError.notSupported
    }
}
