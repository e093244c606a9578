/// An error of an app's own provider, store or transport that says nothing about what a caller should do.
///
/// A client throws only ``IdentityFailure`` and `CancellationError`, so it wraps any other error in this one.
public struct ProviderError: IdentityFailure {
    public let underlying: any Error

    /// Wraps an error that is no ``IdentityFailure``.
    public init(underlying: any Error) { self.underlying = underlying }

    public var failureCode: String { Self.code }
    /// Class of the underlying error: ``FailureClass/transient``, because nothing is known that a sign-in or another
    /// setting would correct.
    public var failureClass: FailureClass { underlying.identityFailureClass }
    /// The error's own text, with anything removed that looks like a secret.
    public var message: String { underlying.scrubbedMessage }

    /// Code of a wrapped error that has no code of its own.
    package static let code = "provider_failed"

    /// `error` as a client throws it: wrapped, unless it is an ``IdentityFailure`` or a cancellation.
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
