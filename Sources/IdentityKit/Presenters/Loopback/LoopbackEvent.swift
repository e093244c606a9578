import Foundation

/// News of ``LoopbackWebAuthenticator`` about a page while it waits for the response.
package enum LoopbackEvent: Sendable {
    /// A sentence about who asks, before the page.
    case notice(String)
    /// The address of the page, and what was done to open it.
    case page(URL, BrowserAttempts)
    /// The program that was started has ended with an error, and this was done since.
    case browserFailed(BrowserAttempts)
    /// Somebody has reported the error of this code, and it may be anybody. Each code is told once.
    case unconfirmed(String)
    /// The pasted text is not the address of the response.
    case unusablePaste
}

/// Results of the attempts to open a page.
package struct BrowserAttempts: Sendable, Hashable {
    /// The program that was started last; `nil` where none was.
    package internal(set) var started: String?
    /// The programs before it, and what was wrong with each.
    package internal(set) var failed: [String] = []

    /// A line about them; `nil` where the first program was started, or none was there to be tried.
    package var inWords: String? {
        failed.isEmpty ? nil : "Tried " + (failed + (started.map { [$0] } ?? [])).joined(separator: ", ") + "."
    }
}
