import Foundation

/// A notification of ``LoopbackWebAuthenticator`` while it waits for the response of a page.
package enum LoopbackEvent: Sendable {
    /// A sentence to show before the page. The sentence names the resource that asks for the sign-in.
    case notice(String)
    /// The address of the page, and the attempts to open it.
    case page(URL, BrowserAttempts)
    /// The started program has ended with an error. The attempts include this program and those tried after it.
    case browserFailed(BrowserAttempts)
    /// A request reported an error with this code, but the sender of the request cannot be verified. Each code is
    /// reported at most once.
    case unconfirmed(String)
    /// The pasted text is not the address of the response.
    case unusablePaste
}

/// Attempts to open a page with a program, and their results.
package struct BrowserAttempts: Sendable, Hashable {
    /// The program that was started and is not known to have failed; `nil` when there is none.
    package internal(set) var started: String?
    /// The programs that failed, each with the reason in parentheses, in the order of the attempts.
    package internal(set) var failed: [String] = []

    /// The attempts in one sentence; `nil` when no program has failed.
    package var inWords: String? {
        failed.isEmpty ? nil : "Tried " + (failed + (started.map { [$0] } ?? [])).joined(separator: ", ") + "."
    }
}
