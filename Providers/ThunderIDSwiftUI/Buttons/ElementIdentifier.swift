/// Identifiers of the views' parts for tests of an app's screens. They are the same in every language.
public enum ElementIdentifier {
    /// The button that leads to a sign-in.
    public static let signIn = "thunderid-sign-in"
    /// The button that leads to a registration.
    public static let signUp = "thunderid-sign-up"
    /// The button that signs out.
    public static let signOut = "thunderid-sign-out"
    /// The button that opens the user's menu.
    public static let userMenu = "thunderid-user-menu"
    /// The button that shows the user's profile.
    public static let userProfile = "thunderid-user-profile"
    /// The button that saves the profile.
    public static let saveProfile = "thunderid-save-profile"
    /// The text of an error.
    public static let problem = "thunderid-problem"

    /// A field of a form, by the name of its value.
    public static func field(_ name: String) -> String { "thunderid-field-" + name }

    /// A button of a flow's step, by its action.
    public static func action(_ id: String) -> String { "thunderid-action-" + id }

    /// A language in the choice of languages, by its tag.
    public static func language(_ tag: String) -> String { "thunderid-language-" + tag }
}
