import Foundation
import IdentityKit

/// Keeps the token in a file valid while a command runs.
struct TokenKeeper: Sendable {
    let file: TokenFile
    let account: AccountID
    let scopes: Set<String>
    /// Audience of the ID token in the file; `nil` for the access token.
    let audience: String?

    /// The time between two reads of the token. A read sends a request only if the stored token must be replaced.
    private static let pause = Duration.seconds(1)
    private static let pauseAfterFailure = Duration.seconds(5)
    /// The time between refreshes after the ID token has expired, as long as refreshes bring no new ID token. Longer than the
    /// other pauses, because each refresh spends a refresh token. Meanwhile, the store is still read every 5 seconds.
    private static let pauseBetweenRefreshes = Duration.seconds(300)
    /// The upper limit of the margin, in seconds. A token is replaced when its remaining lifetime is shorter than the
    /// margin.
    private static let longestMargin = 300.0

    /// Writes the current token to the file, unless the token is `known`.
    /// - Parameters:
    ///   - known: the token that the file contains; `nil` to write in any case.
    ///   - margin: the time for which the token must still be valid, in seconds.
    ///   - refreshes: whether a new ID token may be requested.
    /// - Returns: the token, and the margin for the next call:
    ///   - for a new token, a quarter of the remaining lifetime, at most 300 seconds, or 0 if the expiry is unknown;
    ///   - for the `known` token, if it lasts longer than `margin`, the same `margin`;
    ///   - for the `known` token, if it lasts no longer than `margin`, 0. The refresh brought no new token, and the old margin
    ///     would cause another refresh.
    /// - Throws: `DestinationError.boundToKey`, `KubectlRequestError`, what the provider or the store throws, or the
    ///   error of writing the file.
    @discardableResult
    func write(
        _ session: ToolSession, unless known: Secret? = nil, lasting margin: Double = 0, refreshes: Bool = true
    ) async throws -> (token: Secret, margin: Double) {
        // Read the clock before the token is checked. Otherwise a token that just passed the check could seem to have less
        // than the margin left.
        let start = session.call.context.clock.now
        let (token, end) = try await current(session, lasting: margin, refreshes)
        let life = end.map { $0.timeIntervalSince(start) } ?? 0
        guard token != known else { return (token, life > margin ? margin : 0) }
        try file.write(token)
        return (token, min(max(life / 4, 0), Self.longestMargin))
    }

    private func current(
        _ session: ToolSession, lasting margin: Double, _ refreshes: Bool
    ) async throws -> (Secret, Date?) {
        if let audience {
            let (token, end) = try await IDTokens(of: account, in: session)
                .token(for: audience, lasting: margin, refreshes: refreshes)
            return (token, end)
        }
        let (value, details) = try await session.bearerToken(of: account, scopes: scopes, lasting: margin)
        return (value, details?.expiresAt)
    }

    /// Keeps the token in the file valid as long as `isNeeded` returns `true`. Deletes the file when the session needs
    /// a sign-in, and writes it again after a new sign-in of the account. After an error, prints the error once and
    /// tries again after 5 seconds. If the server issues no new ID token, requests one every 5 minutes.
    /// - Throws: `CancellationError` when the task is cancelled.
    func keep(_ session: ToolSession, while isNeeded: @Sendable () -> Bool) async throws {
        var (token, margin) = (Secret?.none, 0.0)
        var told = ""
        var (next, untilRefresh) = (Duration.zero, Duration.zero)
        while isNeeded() {
            if next <= .zero {
                do {
                    let written = try await write(
                        session, unless: token, lasting: margin, refreshes: untilRefresh <= .zero)
                    (token, margin, told, next) = (written.token, written.margin, "", Self.pause)
                    untilRefresh = .zero
                } catch {
                    try Task.checkCancellation()
                    if error.asksForSignIn {
                        file.clear()
                        (token, margin) = (nil, 0)
                    }
                    // Print a failure only once while it lasts.
                    let text = await session.named(error.messageWithIdentifier)
                    if text != told { session.note("identity: \(text)") }
                    (told, next) = (text, Self.pauseAfterFailure)
                    if case KubectlRequestError.idTokenExpired = error, untilRefresh <= .zero {
                        untilRefresh = Self.pauseBetweenRefreshes
                    }
                }
            }
            // Check every 200 ms whether the command still runs, but read the token less often.
            try await session.call.context.clock.sleep(for: .milliseconds(200))
            next -= .milliseconds(200)
            untilRefresh -= .milliseconds(200)
        }
    }
}
