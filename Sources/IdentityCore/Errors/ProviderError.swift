/// A wrapper around an error that is no ``IdentityFailure``, such as that of an app's own provider, store or transport.
///
/// A client throws only ``IdentityFailure`` and `CancellationError`, so it wraps any other error in this type. The code is
/// always `provider_failed`. The class is that of the underlying error, and ``FailureClass/transient`` for an error without
/// a class, because nothing shows that signing in or changing a setting would help. The message is the underlying error's
/// text, without anything that looks like a secret.
public struct ProviderError: StatedFailure {
    public let underlying: any Error

    /// Wraps an error that is no ``IdentityFailure``.
    package init(underlying: any Error) { self.underlying = underlying }

    package var facts: FailureFacts {
        FailureFacts(Self.code, underlying.identityFailureClass, underlying.scrubbedMessage)
    }

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
