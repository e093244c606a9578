import Foundation
import IdentityKit
import InsForge
import IdentityOAuthProviders
import IdentityTerminal
import ThunderID

// snippet: making-a-client
func makeClient(_ file: URL) throws -> IdentityClient {
    try IdentityClient(
        configuration: IdentityConfiguration(contentsOf: file),
        registry: ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self, OpenIDConnectPlugin.self]),
        prompter: TerminalPrompter(), webAuthenticator: browser)
}
// end snippet

/// Signs in on a server's page, and prints where that is.
// snippet: a-loopback-browser
let browser = LoopbackWebAuthenticator { page, isOpen in
    print(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
    print("  \(page.absoluteString)")
}
// end snippet
