import IdentityKit

/// The authenticators that open pages and request passkeys during sign-ins and sign-outs.
public struct SignInHandlers: Sendable {
    /// Opens pages in a browser, for steps of flows, for redirect sign-ins and for sign-outs; by default
    /// `DefaultWebAuthenticator.ofThisSystem`. With `nil`, a step or sign-in that needs a page fails.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Requests passkeys from the system. With `nil`, the default of the initializer, no passkeys are suggested, and a
    /// step that needs a passkey fails.
    public var passkeys: (any PasskeyAuthenticator)?

    public init(
        webAuthenticator: (any WebAuthenticator)? = DefaultWebAuthenticator.ofThisSystem,
        passkeys: (any PasskeyAuthenticator)? = nil
    ) {
        self.webAuthenticator = webAuthenticator
        self.passkeys = passkeys
    }
}
