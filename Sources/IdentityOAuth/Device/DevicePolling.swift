import Foundation
import IdentityKit

/// When to poll the server again, and what its responses mean (RFC 8628 section 3.5). Without a clock or network of its
/// own, so that tests can step through it.
package struct DevicePolling: Sendable, Hashable {
    /// Next steps of polling.
    package enum Step: Sendable, Hashable {
        /// Wait this long, then poll.
        case wait(Duration)
        case giveUp
    }

    /// When the codes expire.
    package let expiresAt: Date
    /// The time between two polls, in seconds. It only grows.
    package private(set) var interval: Int
    private var notBefore: Date
    /// The newest error description that came with a request to keep waiting.
    private var words: String?

    /// Starts with the first poll one interval from now.
    package init(_ authorization: DeviceAuthorization, startedAt now: Date) {
        self.init(every: authorization.interval, until: authorization.expiresAt, startedAt: now)
    }

    /// Starts with the first poll one interval from now, for a sign-in on a device of the person's, which has the same rules
    /// (OpenID Connect CIBA Core section 11).
    package init(_ authorization: BackchannelAuthorization, startedAt now: Date) {
        self.init(every: authorization.interval, until: authorization.expiresAt, startedAt: now)
    }

    private init(every seconds: Int, until end: Date, startedAt now: Date) {
        expiresAt = end
        // A stored value may be any number, so it is limited to an hour.
        interval = min(max(seconds, 1), 3600)
        notBefore = now + TimeInterval(interval)
    }

    /// The step to take at `now`.
    package func step(at now: Date) -> Step {
        guard notBefore < expiresAt, now < expiresAt else { return .giveUp }
        return .wait(Duration(outsideSeconds: notBefore.timeIntervalSince(now)) ?? .zero)
    }

    /// Records a poll that brought no token.
    /// - Parameters:
    ///   - failure: what it brought.
    ///   - now: the time.
    /// - Throws: `failure` itself when there is nothing to wait for.
    package mutating func record(_ failure: any Error, at now: Date) throws {
        var pause = 0
        switch failure {
        case OAuthError.refused(let refusal) where [.authorizationPending, .slowDown].contains(refusal.error):
            if refusal.error == .slowDown { interval += 5 }
            pause = Int(refusal.retryAfter?.components.seconds ?? 0)
        // With status 400, any other code is the server's decision, unknown codes included.
        case OAuthError.refused(let refusal) where refusal.status == 400:
            throw failure
        case let failure where failure is CancellationError || failure.identityFailureClass != .transient:
            throw failure
        default:
            // The response is unusable, which may pass: poll less often.
            if case OAuthError.refused(let refusal) = failure { words = refusal.errorDescription ?? refusal.code }
            interval = max(interval, min(interval * 2, 300))
        }
        notBefore = now + TimeInterval(max(interval, pause))
    }

    /// The error for expired codes, with the server's last description.
    var expiry: OAuthError { .refused(ErrorResponse(error: .expiredToken, errorDescription: words)) }
}

extension DeviceAuthorization {
    /// Asks the server until the person has decided.
    /// - Parameters:
    ///   - tokenEndpoint: the token endpoint.
    ///   - client: the client that started the flow.
    ///   - transport: sends the questions.
    ///   - time: the clock; it also times the pauses between polls.
    ///   - dpop: binds the tokens to a key.
    ///   - extraParameters: additional parameters for this server. Names that the protocol uses are refused.
    /// - Throws: ``OAuthError/refused(_:)`` with `access_denied` or `expired_token`, any other definitive failure,
    ///   `CancellationError` when the task is cancelled.
    package func waitForTokens(
        tokenEndpoint: URL, client: OAuthClient, using transport: any HTTPTransport, time: TimeSource = .system,
        dpop: DPoPProver? = nil, extraParameters: [FormField] = []
    ) async throws -> TokenEndpointResponse {
        let request = TokenRequest(
            .deviceCode(deviceCode, scopes: scopes), tokenEndpoint: tokenEndpoint, client: client,
            extraParameters: extraParameters, dpop: dpop)
        return try await DevicePolling(self, startedAt: time.now)
            .waitForTokens(by: request, using: transport, time: time).0
    }
}

extension DevicePolling {
    /// Polls with a request until the person has decided.
    func waitForTokens(
        by request: TokenRequest, using transport: any HTTPTransport, time: TimeSource
    ) async throws -> (TokenEndpointResponse, sentAt: Date) {
        var polling = self
        while case .wait(let pause) = polling.step(at: time.now) {
            try await time.sleep(for: pause)
            let sentAt = time.now
            do {
                return (try await request.send(using: transport), sentAt)
            } catch {
                try polling.record(error, at: time.now)
            }
        }
        throw polling.expiry
    }
}
