/// An error of an app's own provider, store or transport that says nothing about what a caller should do.
///
/// A client throws no error but an ``IdentityFailure`` and `CancellationError`, so it puts any other one into
/// this.
public struct ProviderError: IdentityFailure {
    public let underlying: any Error

    /// A failure of an error that says nothing.
    public init(underlying: any Error) { self.underlying = underlying }

    public var failureCode: String { Self.code }
    /// ``FailureClass/transient``: nothing is known that a sign-in or another setting would mend.
    public var failureClass: FailureClass { underlying.identityFailureClass }
    /// The error's own text, without what looks like a secret.
    public var message: String { underlying.scrubbedMessage }

    /// The code of an error that has none.
    package static let code = "provider_failed"

    /// `error` as a client throws it.
    package static func classified(_ error: any Error) -> any Error {
        error is any IdentityFailure || error is CancellationError ? error : Self(underlying: error)
    }

    /// The result of `work`, whose errors are classified.
    nonisolated(nonsending) package static func classifying<Result>(
        _ work: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do { return try await work() } catch { throw classified(error) }
    }
}
