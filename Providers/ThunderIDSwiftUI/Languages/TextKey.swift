/// The texts of the views, by keys that stay the same. An app replaces a text under its key; see <doc:TextsAndLanguages>.
public enum TextKey: String, CaseIterable, Sendable {
    // MARK: Signing in

    /// On a button that leads to a sign-in.
    case signInButton = "signIn.button"
    /// On the button of a step that has no other one.
    case signInSubmit = "signIn.submit"
    /// On the button that signs in with Google.
    case signInContinueWithGoogle = "signIn.continueWithGoogle"
    /// On the button that signs in with GitHub.
    case signInContinueWithGithub = "signIn.continueWithGithub"
    /// On the button that signs in with another identity provider. The value is its name.
    case signInContinueWith = "signIn.continueWith"
    /// On the button that signs in with a passkey.
    case signInContinueWithPasskey = "signIn.continueWithPasskey"
    /// On the button that tries once more.
    case signInTryAgain = "signIn.tryAgain"
    /// On the button that begins anew.
    case signInStartAgain = "signIn.startAgain"
    /// Spoken while a request is under way.
    case signInWait = "signIn.wait"
    /// Above the field for a mailed link.
    case signInOpenLink = "signIn.openLink"
    /// After something else was done on the way, such as a new password.
    case signInDone = "signIn.done"

    // MARK: Registering

    /// On a button that leads to a registration.
    case signUpButton = "signUp.button"

    // MARK: Signing out

    /// On a button that signs out.
    case signOutButton = "signOut.button"

    // MARK: Coming back from a browser

    /// While a sign-in of a browser is being finished.
    case callbackLoading = "callback.loading"
    /// When a sign-in of a browser could not be finished.
    case callbackError = "callback.error"
    /// On the button that stops a sign-in after an error that may be anybody's.
    case callbackStop = "callback.stop"

    // MARK: The user

    /// In place of a name that is not known.
    case userAnonymous = "user.anonymous"
    /// The heading of a profile.
    case userProfileTitle = "userProfile.title"
    /// On the button that saves a profile.
    case userProfileSave = "userProfile.save"
    /// While a profile is being fetched.
    case userProfileLoading = "userProfile.loading"
    /// While a profile is being saved.
    case userProfileSaving = "userProfile.saving"
    /// Beside a field of a profile that must not be empty.
    case userProfileMissing = "userProfile.missing"
    /// Beside a field of a profile that takes a number.
    case userProfileNotNumber = "userProfile.notNumber"
    /// Spoken after a user's name on what opens their menu.
    case userMenuHint = "user.menuHint"

    // MARK: Languages

    /// The heading of a choice of languages.
    case languageSwitcherTitle = "languageSwitcher.title"

    // MARK: Fields

    /// Beside a field for a user name.
    case fieldUsername = "field.username"
    /// Beside a field for a password.
    case fieldPassword = "field.password"
    /// Beside a field for a mail address.
    case fieldEmail = "field.email"
    /// Beside a field for a number of a mobile phone.
    case fieldMobileNumber = "field.mobileNumber"
    /// Beside a field for a one-time code.
    case fieldOneTimeCode = "field.oneTimeCode"
    /// Beside a field for a mailed link or the code in it.
    case fieldLinkOrCode = "field.linkOrCode"
    /// Beside a field for a given name.
    case fieldGivenName = "field.givenName"
    /// Beside a field for a family name.
    case fieldFamilyName = "field.familyName"
    /// Label of the full-name field.
    case fieldName = "field.name"
    /// Beside a field for a date of birth.
    case fieldBirthdate = "field.birthdate"
    /// Before a date is chosen.
    case fieldChooseDate = "field.chooseDate"
    /// Takes a date that was chosen away.
    case fieldRemoveDate = "field.removeDate"
}
