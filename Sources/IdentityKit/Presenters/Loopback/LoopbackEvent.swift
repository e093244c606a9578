import Foundation

/// A notification of ``LoopbackWebAuthenticator`` while it waits for the response of a page.
package enum LoopbackEvent: Sendable {
    /// A sentence, to show before the page, about who asks for the sign-in.
    case notice(String)
    /// The address of the page, and the attempts to open it.
    case page(URL, BrowserAttempts)
    /// The program that was started has ended with an error; the attempts made since then are listed.
    case browserFailed(BrowserAttempts)
    /// A request reported an error with this code, but its sender cannot be verified. Each code is reported once.
    case unconfirmed(String)
    /// The pasted text is not the address of the response.
    case unusablePaste
}

/// Attempts to open a page with a program, and their results.
package struct BrowserAttempts: Sendable, Hashable {
    /// The program that was started last; `nil` when none could be started.
    package internal(set) var started: String?
    /// The programs tried before it, and why each failed.
    package internal(set) var failed: [String] = []

    /// The attempts in one line; `nil` when the first program was started, or there was none to try.
    package var inWords: String? {
        failed.isEmpty ? nil : "Tried " + (failed + (started.map { [$0] } ?? [])).joined(separator: ", ") + "."
    }
}
