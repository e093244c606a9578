/// A wrapper around an error that is no ``IdentityFailure``, such as that of an app's own provider, store or transport.
///
/// A client throws only ``IdentityFailure`` and `CancellationError`, so it wraps any other error in this type.
public struct ProviderError: IdentityFailure {
    public let underlying: any Error

    /// Wraps an error that is no ``IdentityFailure``.
    package init(underlying: any Error) { self.underlying = underlying }

    public var failureCode: String { Self.code }
    /// The class of the underlying error. For an error without a class, the result is ``FailureClass/transient``,
    /// because nothing shows that signing in or changing a setting would help.
    public var failureClass: FailureClass { underlying.identityFailureClass }
    /// The underlying error's text, without anything that looks like a secret.
    public var message: String { underlying.scrubbedMessage }

    /// The ``failureCode`` of every ``ProviderError``, whatever the underlying error.
    package static let code = "provider_failed"

    /// Returns `error` as a client throws it: wrapped, unless it is an ``IdentityFailure`` or a `CancellationError`.
    package static func classified(_ error: any Error) -> any Error {
        error is any IdentityFailure || error is CancellationError ? error : Self(underlying: error)
    }

    /// Runs `work`, and wraps its errors as ``classified(_:)`` does.
    nonisolated(nonsending) package static func classifying<Result>(
        _ work: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do { return try await work() } catch { throw classified(error) }
    }
}
