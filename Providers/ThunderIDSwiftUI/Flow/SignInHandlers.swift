import IdentityKit

/// Functions that a flow may need for steps that are not fields and buttons.
public struct SignInHandlers: Sendable {
    /// Opens the pages of steps in a browser, and of redirect sign-ins, by default `DefaultWebAuthenticator`; `nil`
    /// without a browser.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Gets passkey responses from the system. With `nil` none are suggested, and a step that needs one fails.
    public var passkeys: (any PasskeyAuthenticator)?

    public init(
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        passkeys: (any PasskeyAuthenticator)? = nil
    ) {
        self.webAuthenticator = webAuthenticator
        self.passkeys = passkeys
    }
}
