import Foundation
import IdentityKit

/// Keeps the token in a file current while a command runs.
struct TokenKeeper: Sendable {
    let file: TokenFile
    let account: AccountID
    let scopes: Set<String>
    /// Audience of the ID token in the file; `nil` for the access token.
    let audience: String?

    /// How often the store is looked at, which costs no request.
    private static let pause = Duration.seconds(1)
    private static let pauseAfterFailure = Duration.seconds(5)
    /// How long before its end a token is replaced, at most.
    private static let longestMargin = 300.0

    /// Writes the current token.
    /// - Parameter margin: how long it has to last, in seconds.
    /// - Returns: the token, and how long before its end it is replaced.
    /// - Throws: what the provider throws, or why the file cannot be written.
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

    /// Keeps the file current for as long as `isNeeded` says. A session that has ended takes the token out of the file, and
    /// a new sign-in of the account brings one back.
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
                    // A failure that lasts is told once.
                    let text = await session.named(error.messageWithIdentifier)
                    if text != told { session.note("identity: \(text)") }
                    (told, next) = (text, Self.pauseAfterFailure)
                }
            }
            // A command that has ended is noticed sooner than a token that has changed.
            try await session.call.context.clock.sleep(for: .milliseconds(200))
            next -= .milliseconds(200)
        }
    }
}
