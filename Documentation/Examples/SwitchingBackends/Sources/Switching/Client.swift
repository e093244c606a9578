import Foundation
import IdentityTerminal
import SwiftIdentity

func makeClient(_ file: URL) throws -> IdentityClient {
    try IdentityClient(
        configuration: IdentityConfiguration(contentsOf: file), prompter: TerminalPrompter(),
        webAuthenticator: browser)
}

/// Signs in on a server's page, and prints where that is.
// snippet: a-loopback-browser
let browser = LoopbackWebAuthenticator { page, isOpen in
    print(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
    print("  \(page.absoluteString)")
}
// end snippet
