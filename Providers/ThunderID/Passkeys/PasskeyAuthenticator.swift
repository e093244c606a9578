/// Asks a person for a passkey: the system's sheet on Apple, a script in a test.
public protocol PasskeyAuthenticator: Sendable {
    /// Signs the challenge with a passkey.
    /// - Throws: `CancellationError` when the person gives up; a ``PasskeyError``, which the sign-in throws as ``IAMError``.
    ///   Any other error ends the sign-in with it.
    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
    /// Makes a passkey.
    /// - Throws: `CancellationError` when the person gives up; a ``PasskeyError``, which the sign-in throws as ``IAMError``.
    ///   Any other error ends the sign-in with it.
    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration

    /// Whether ``suggestedAssertion(for:)`` suggests passkeys, as iOS and visionOS do above the keyboard. Otherwise the
    /// person chooses to sign in with one.
    var suggestsPasskeys: Bool { get }
    /// Suggests passkeys while the person types, and signs the challenge with the one that they take. It does so until its
    /// task is cancelled.
    /// - Throws: as ``assertion(for:)``.
    func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
}

extension PasskeyAuthenticator {
    /// `false`: nothing is suggested.
    public var suggestsPasskeys: Bool { false }

    /// Suggests nothing.
    /// - Throws: ``PasskeyError/notSupported``.
    public func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        throw PasskeyError.notSupported
    }
}
