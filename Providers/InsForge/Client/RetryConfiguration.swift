import Foundation
import IdentityKit

/// The repetition of read requests after a transient failure: no connection, a time-out, a rate limit, a server error.
/// Requests that change something are never repeated.
public struct RetryConfiguration: Sendable, Hashable {
    /// The largest number of repetitions.
    public let maxRetries: Int
    /// The pause before the first repetition, in seconds. Each further pause is twice as long.
    public let baseDelay: TimeInterval
    /// The longest pause, in seconds. If the server asks for a longer one, the call fails at once.
    public let maxDelay: TimeInterval
    /// Whether pauses vary by up to a tenth, so that many clients do not repeat together.
    public let useJitter: Bool

    /// Three repetitions, after half a second, one and two.
    public static let `default` = RetryConfiguration()
    public static let disabled = RetryConfiguration(maxRetries: 0)

    /// Creates a configuration. Numbers out of range are replaced by the nearest valid ones.
    public init(
        maxRetries: Int = 3, baseDelay: TimeInterval = 0.5, maxDelay: TimeInterval = 30, useJitter: Bool = true
    ) {
        self.maxRetries = max(0, maxRetries)
        self.baseDelay = baseDelay.isFinite ? max(0, baseDelay) : 0
        self.maxDelay = maxDelay.isFinite ? min(max(0, maxDelay), 3600) : 30
        self.useJitter = useJitter
    }

    /// The pause before the request is sent again; `nil` if it is not to be repeated.
    /// - Parameter attempts: the number of times it was sent.
    func pause(after error: any Error, attempts: Int) -> Duration? {
        guard attempts <= maxRetries, let error = error as? InsForgeAuthError else { return nil }
        let exponential = baseDelay * pow(2, Double(min(attempts - 1, 30)))
        let pause = min(useJitter ? exponential * Double.random(in: 1...1.1) : exponential, maxDelay)
        switch error {
        case .rateLimited(let wait?): return wait <= .seconds(maxDelay) ? max(wait, .seconds(pause)) : nil
        case .networkError(let error): return error.failureClass == .transient ? .seconds(pause) : nil
        case .rateLimited(nil), .databaseFault: return .seconds(pause)
        case .server(let status, _, _) where status >= 500: return .seconds(pause)
        case .unreadableResponse(let status) where status >= 500: return .seconds(pause)
        default: return nil
        }
    }
}
