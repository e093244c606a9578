import Foundation
import IdentityKit

/// Decides when to poll the server again, and when polling is over (RFC 8628 section 3.5). The caller supplies the time
/// and the result of each poll, so that tests can step through the decisions.
package struct DevicePolling: Sendable, Hashable {
    /// The caller's next step: to poll after a pause, or to stop because the codes expire before the next poll.
    package enum Step: Sendable, Hashable {
        /// Wait this long, then poll.
        case wait(Duration)
        case giveUp
    }

    /// The time at which the codes, or the request of a backchannel sign-in, expire.
    package let expiresAt: Date
    /// The shortest time between two polls, in seconds. It only grows.
    package private(set) var interval: Int
    private var notBefore: Date
    /// The longest pause after a temporary failure, in seconds.
    private static let longestPause = 300
    /// The description, or else the error code, of the latest temporary OAuth error other than `authorization_pending`
    /// and `slow_down`.
    private var words: String?

    /// Schedules the first poll one interval after `now`.
    package init(_ authorization: DeviceAuthorization, startedAt now: Date) {
        self.init(every: authorization.interval, until: authorization.expiresAt, startedAt: now)
    }

    /// Schedules the first poll one interval after `now`, for a sign-in that the person confirms on their own device.
    /// The same rules apply to its polling (OpenID Connect CIBA Core section 11).
    package init(_ authorization: BackchannelAuthorization, startedAt now: Date) {
        self.init(every: authorization.interval, until: authorization.expiresAt, startedAt: now)
    }

    private init(every seconds: Int, until end: Date, startedAt now: Date) {
        expiresAt = end
        // A stored authorization may have any interval, so limit it to the range from one second to an hour.
        interval = min(max(seconds, 1), 3600)
        notBefore = now + TimeInterval(interval)
    }

    /// The step to take at `now`: ``Step/giveUp`` when the codes have expired or will expire before the next poll.
    package func step(at now: Date) -> Step {
        guard notBefore < expiresAt, now < expiresAt else { return .giveUp }
        return .wait(Duration(outsideSeconds: notBefore.timeIntervalSince(now)) ?? .zero)
    }

    /// Records a poll that returned no tokens, and schedules the next poll. The interval stays the same after
    /// `authorization_pending`, grows by 5 seconds after `slow_down` (RFC 8628 section 3.5), and doubles up to 300
    /// seconds after any other temporary failure. If `Retry-After` asks for a longer wait, the next poll comes later.
    /// - Parameters:
    ///   - failure: the error of the poll.
    ///   - now: the time at which the poll failed.
    /// - Throws: `failure` itself when it ends polling: a cancellation, a failure that is not transient, or an OAuth
    ///   error with status 400 other than `authorization_pending` and `slow_down`.
    package mutating func record(_ failure: any Error, at now: Date) throws {
        var asked = WaitRequest.duration(in: failure)?.timeInterval ?? 0
        switch failure {
        case OAuthError.refused(let refusal) where [.authorizationPending, .slowDown].contains(refusal.error):
            if refusal.error == .slowDown { interval += 5 }
        // Any other error code with status 400 is final, even an unknown one.
        case OAuthError.refused(let refusal) where refusal.status == 400:
            throw failure
        case let failure where failure is CancellationError || failure.identityFailureClass != .transient:
            throw failure
        default:
            // The failure may be temporary, such as an unusable response or a lost connection: poll less often.
            if case OAuthError.refused(let refusal) = failure { words = refusal.errorDescription ?? refusal.code }
            interval = max(interval, min(interval * 2, Self.longestPause))
            // A server under maintenance may ask for a longer wait than the codes are valid, so limit the wait.
            asked = min(asked, TimeInterval(Self.longestPause))
        }
        notBefore = now + max(TimeInterval(interval), asked)
    }

    /// The error `expired_token`, for codes that expire before a response ends the polling. The description is `words`,
    /// which may be `nil`.
    var expiry: OAuthError { .refused(ErrorResponse(error: .expiredToken, errorDescription: words)) }
}

extension DeviceAuthorization {
    /// Polls the token endpoint until the person has decided or the codes expire.
    /// - Parameters:
    ///   - tokenEndpoint: the token endpoint of the server that issued the codes.
    ///   - client: the client that started the flow.
    ///   - transport: sends the polling requests.
    ///   - time: the clock; it also times the pauses between polls.
    ///   - dpop: the prover for the key that the tokens will be bound to; `nil` for bearer tokens.
    ///   - extraParameters: additional parameters for this server. Names that the protocol uses are refused.
    /// - Throws: ``OAuthError/refused(_:)`` with `access_denied` or `expired_token`, any other definitive failure, or
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
    /// Polls by sending `request` until the person has decided or the codes expire.
    /// - Returns: the response, and the time at which the successful poll was sent.
    /// - Throws: the definitive failure of a poll, ``expiry`` when the codes expire, or `CancellationError`.
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
