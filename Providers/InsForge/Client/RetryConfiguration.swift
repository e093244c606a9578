import Foundation
import IdentityKit

/// The repetition of read requests after a transient failure: no connection, a time-out, a rate limit or a server
/// error. Only `GET` requests are repeated.
public struct RetryConfiguration: Sendable, Hashable {
    /// The largest number of repetitions, not counting the first attempt.
    public let maxRetries: Int
    /// The pause before the first repetition, in seconds. Each later pause is twice as long, up to ``maxDelay``.
    public let baseDelay: TimeInterval
    /// The longest pause, in seconds. If the server requires a longer pause because of a rate limit, the call fails at
    /// once.
    public let maxDelay: TimeInterval
    /// Whether each pause is shortened at random by up to a tenth, so that many clients do not repeat at the same time. A pause
    /// that the server requires is lengthened instead, also by up to a tenth.
    public let useJitter: Bool

    /// Three repetitions, after pauses of about 0.5, 1 and 2 seconds.
    public static let `default` = RetryConfiguration()
    public static let disabled = RetryConfiguration(maxRetries: 0)

    /// Creates a configuration. Negative numbers become 0, and `maxDelay` is at most 3600 seconds. For a number that is
    /// not finite, `baseDelay` becomes 0 and `maxDelay` becomes 30.
    public init(
        maxRetries: Int = 3, baseDelay: TimeInterval = 0.5, maxDelay: TimeInterval = 30, useJitter: Bool = true
    ) {
        self.maxRetries = max(0, maxRetries)
        self.baseDelay = baseDelay.isFinite ? max(0, baseDelay) : 0
        self.maxDelay = maxDelay.isFinite ? min(max(0, maxDelay), 3600) : 30
        self.useJitter = useJitter
    }

    /// Returns the pause before the request is repeated; `nil` if no repetition is left, `error` is not transient, or
    /// the server requires a longer pause than `maxDelay`.
    /// - Parameter attempts: the number of times that the request was sent.
    func pause(after error: any Error, attempts: Int) -> Duration? {
        guard attempts <= maxRetries, let error = error as? InsForgeAuthError else { return nil }
        let exponential = baseDelay * pow(2, Double(min(attempts - 1, 30)))
        let jitter = useJitter ? Double.random(in: 0...0.1) : 0
        let pause = min(exponential, maxDelay) * (1 - jitter)
        switch error {
        case .rateLimited(let wait?):
            return wait <= .seconds(maxDelay) ? max(wait * (1 + jitter), .seconds(pause)) : nil
        case .networkError(let error): return error.failureClass == .transient ? .seconds(pause) : nil
        case .rateLimited(nil), .databaseFault: return .seconds(pause)
        case .server(let status, _, _) where status >= 500: return .seconds(pause)
        case .unreadableResponse(let status) where status >= 500: return .seconds(pause)
        default: return nil
        }
    }
}
