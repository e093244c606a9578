/// Asks a person for a passkey: the system's sheet on Apple, a script in a test.
public protocol PasskeyAuthenticator: Sendable {
    /// Signs the challenge with a passkey.
    /// - Throws: `CancellationError` when the person gives up. Any other error ends the sign-in with it.
    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion
    /// Makes a passkey.
    /// - Throws: `CancellationError` when the person gives up. Any other error ends the sign-in with it.
    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration
}
