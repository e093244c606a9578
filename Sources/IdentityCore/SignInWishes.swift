/// Options of a single sign-in, which take precedence over the configuration. A sign-in with options is shown even when
/// an account is signed in, so that another person can sign in.
public struct SignInWishes: Sendable, Hashable {
    /// Whether and how the server may prompt the person, such as `login` or `select_account`; several words are
    /// separated by spaces (OpenID Connect Core section 3.1.2.1).
    public var prompt: String?
    /// The name of the person to sign in, such as an e-mail address, sent as `login_hint`. The server may still let
    /// another person sign in.
    public var loginHint: String?
    /// The longest time since the person last signed in at the server, sent as `max_age`. After a longer time, the
    /// server asks the person to sign in again.
    public var maximumAge: Duration?

    /// Makes options; `nil` leaves an option as it is configured.
    public init(prompt: String? = nil, loginHint: String? = nil, maximumAge: Duration? = nil) {
        (self.prompt, self.loginHint, self.maximumAge) = (prompt, loginHint, maximumAge)
    }

    /// Whether no option is set.
    package var isEmpty: Bool { self == SignInWishes() }
}

/// The form in which a provider shows a sign-in. The form decides which ``SignInWishes`` the sign-in can use.
public enum SignInForm: Sendable, Hashable {
    /// A page of the provider's own server in the browser. The server receives the options.
    case page
    /// A page of another server in the browser, such as a vendor's. That server does not receive the options.
    case foreignPage
    /// A code to enter on another device, or a message to confirm there.
    case otherDevice
    /// Questions that the app asks, such as for a name and a password.
    case questions
}

/// An error of a provider whose sign-in cannot use the given ``SignInWishes``.
package struct SignInOptionsError: StatedFailure {
    package init() {}

    package var facts: FailureFacts {
        .definitive("sign_in_options_unusable", "Its sign-in takes no prompt, no login hint and no maximum age.")
    }
}

extension SignInWishes: Reticent {
    /// Hides the login hint, which identifies a person.
    package var shown: KeyValuePairs<String, Any> { ["prompt": prompt as Any, "maximumAge": maximumAge as Any] }
}
