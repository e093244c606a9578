/// The wishes for one sign-in, beyond what is configured. With any of them the sign-in is a new one, so that another
/// person can sign in.
public struct SignInWishes: Sendable, Hashable {
    /// Whether and how the server may talk to the person, such as `login` or `select_account`; several words are separated
    /// by spaces (OpenID Connect Core section 3.1.2.1).
    public var prompt: String?
    /// The person to sign in, such as an e-mail address. The server may let another person sign in.
    public var loginHint: String?
    /// How old a sign-in at the server may be; the person signs in again when it is older.
    public var maximumAge: Duration?

    /// Options; `nil` for what the configuration says.
    public init(prompt: String? = nil, loginHint: String? = nil, maximumAge: Duration? = nil) {
        (self.prompt, self.loginHint, self.maximumAge) = (prompt, loginHint, maximumAge)
    }

    /// Whether they ask for nothing.
    public var isEmpty: Bool { self == SignInWishes() }
}

/// How a provider shows a sign-in, which decides what of ``SignInWishes`` it can use.
public enum SignInForm: Sendable, Hashable {
    /// A page of the server, in the browser. It takes the options.
    case page
    /// A page of another server, in the browser. It takes no options.
    case foreignPage
    /// A code that is entered on another device.
    case otherDevice
    /// Questions, such as for a name and a password.
    case questions
}

/// A provider's sign-in has no place for the ``SignInWishes`` that it was given.
public struct SignInOptionsError: IdentityFailure {
    public init() {}

    public var failureCode: String { "sign_in_options_unusable" }
    public var failureClass: FailureClass { .definitive }
    /// The options that have no place.
    public var message: String { "Its sign-in takes no prompt, no login hint and no maximum age." }
}

extension SignInWishes: CustomReflectable {
    /// Does not show whom to sign in.
    public var customMirror: Mirror {
        Mirror(self, showing: ["prompt": prompt as Any, "maximumAge": maximumAge as Any])
    }
}
