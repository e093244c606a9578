import Foundation
import IdentityKit

/// Keeps the token in a file valid while a command runs.
struct TokenKeeper: Sendable {
    let file: TokenFile
    let account: AccountID
    let scopes: Set<String>
    /// Audience of the ID token in the file; `nil` for the access token.
    let audience: String?

    /// The time between two looks at the store, which need no request.
    private static let pause = Duration.seconds(1)
    private static let pauseAfterFailure = Duration.seconds(5)
    /// The longest time before its expiry at which a token is replaced, in seconds.
    private static let longestMargin = 300.0

    /// Writes the current token.
    /// - Parameter margin: the time for which the token must still be valid, in seconds.
    /// - Returns: the token, and the time before its expiry at which to replace it, in seconds.
    /// - Throws: what the provider throws, or the error of writing the file.
    @discardableResult
    func write(_ session: ToolSession, unless known: Secret? = nil, lasting margin: Double = 0) async throws -> (
        token: Secret, margin: Double
    ) {
        let (token, end) = try await current(session, lasting: margin)
        guard token != known else { return (token, margin) }
        try file.write(token)
        let life = end.map { $0.timeIntervalSince(session.call.context.clock.now) } ?? 0
        return (token, min(max(life / 4, 0), Self.longestMargin))
    }

    private func current(_ session: ToolSession, lasting margin: Double) async throws -> (Secret, Date?) {
        if let audience {
            let (token, end) = try await IDTokens(of: account, in: session).token(for: audience, lasting: margin)
            return (token, end)
        }
        let (value, details) = try await session.bearerToken(of: account, scopes: scopes, lasting: margin)
        return (value, details?.expiresAt)
    }

    /// Renews the token as long as `isNeeded` is true. After the session has ended the file is deleted, and a new
    /// sign-in of the account writes it again.
    /// - Throws: `CancellationError` when the task is cancelled.
    func keep(_ session: ToolSession, while isNeeded: @Sendable () -> Bool) async throws {
        var (token, margin) = (Secret?.none, 0.0)
        var told = ""
        var next = Duration.zero
        while isNeeded() {
            if next <= .zero {
                do {
                    let written = try await write(session, unless: token, lasting: margin)
                    (token, margin, told, next) = (written.token, written.margin, "", Self.pause)
                } catch {
                    try Task.checkCancellation()
                    if error.asksForSignIn {
                        file.clear()
                        (token, margin) = (nil, 0)
                    }
                    // A lasting failure is printed only once.
                    let text = await session.named(error.messageWithIdentifier)
                    if text != told { session.note("identity: \(text)") }
                    (told, next) = (text, Self.pauseAfterFailure)
                }
            }
            // Check often whether the command still runs, more often than whether the token has changed.
            try await session.call.context.clock.sleep(for: .milliseconds(200))
            next -= .milliseconds(200)
        }
    }
}
