/// Accessibility identifiers of the buttons, fields and texts in this library's views, for tests of an app's user interface.
/// They are the same in every language.
public enum ElementIdentifier {
    /// The identifier of ``SignInButton`` and ``BaseSignInButton``, unless the app sets another.
    public static let signIn = "thunderid-sign-in"
    /// The identifier of ``SignUpButton`` and ``BaseSignUpButton``.
    public static let signUp = "thunderid-sign-up"
    /// The identifier of ``SignOutButton``, ``BaseSignOutButton``, and the sign-out button in the menu of ``UserDropdown``.
    public static let signOut = "thunderid-sign-out"
    /// The identifier of the button that opens the menu of ``UserDropdown``.
    public static let userMenu = "thunderid-user-menu"
    /// The identifier of the button for the user's profile in the menu of ``UserDropdown``.
    public static let userProfile = "thunderid-user-profile"
    /// The identifier of the button that saves changes of the profile in ``UserProfile``.
    public static let saveProfile = "thunderid-save-profile"
    /// The identifier of every text about an error, of a form or of a single field.
    public static let problem = "thunderid-problem"

    /// Returns the identifier of a form's field, such as `thunderid-field-username`.
    /// - Parameter name: the name of the input or attribute.
    public static func field(_ name: String) -> String { "thunderid-field-" + name }

    /// Returns the identifier of a button in a flow's step or of a ``BrandedButton``.
    /// - Parameter id: the action's identifier; `proceed`, `try-again` or `start-again` for a button that the server did not
    ///   send; for a ``BrandedButton`` without an action, the brand's raw value.
    public static func action(_ id: String) -> String { "thunderid-action-" + id }

    /// Returns the identifier of a language's button in ``LanguageSwitcher``.
    /// - Parameter tag: the language's BCP 47 tag.
    public static func language(_ tag: String) -> String { "thunderid-language-" + tag }
}
