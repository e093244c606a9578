import IdentityKit

/// Functions that steps of a flow may need beside fields and buttons.
public struct SignInHandlers: Sendable {
    /// Opens the pages of steps that continue in a browser, and of redirect sign-ins, by default as
    /// `DefaultWebAuthenticator` says; `nil` where there is no browser.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Asks for passkeys; `nil` where there are none.
    public var passkeys: (any PasskeyAuthenticator)?

    public init(
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        passkeys: (any PasskeyAuthenticator)? = nil
    ) {
        self.webAuthenticator = webAuthenticator
        self.passkeys = passkeys
    }
}
