/// Keys of the views' texts, which stay the same in all versions. An app can replace the text of a key; see
/// <doc:TextsAndLanguages>.
public enum TextKey: String, CaseIterable, Sendable {
    // MARK: Signing in

    /// Label of a button that leads to a sign-in.
    case signInButton = "signIn.button"
    /// Label of the only button of a step.
    case signInSubmit = "signIn.submit"
    /// Label of the button that signs in with Google.
    case signInContinueWithGoogle = "signIn.continueWithGoogle"
    /// Label of the button that signs in with GitHub.
    case signInContinueWithGithub = "signIn.continueWithGithub"
    /// Label of the button for another identity provider. The value is its name.
    case signInContinueWith = "signIn.continueWith"
    /// Label of the button that signs in with a passkey.
    case signInContinueWithPasskey = "signIn.continueWithPasskey"
    /// Label of the button that tries again.
    case signInTryAgain = "signIn.tryAgain"
    /// Label of the button that starts the flow again.
    case signInStartAgain = "signIn.startAgain"
    /// Text for screen readers while a request is in progress.
    case signInWait = "signIn.wait"
    /// Text above the field for a mailed link.
    case signInOpenLink = "signIn.openLink"
    /// Message after a flow ended with something other than a sign-in, such as a new password.
    case signInDone = "signIn.done"

    // MARK: Registering

    /// Label of a button that leads to a registration.
    case signUpButton = "signUp.button"

    // MARK: Signing out

    /// Label of a button that signs out.
    case signOutButton = "signOut.button"

    // MARK: Coming back from a browser

    /// Text while a redirect sign-in is being completed.
    case callbackLoading = "callback.loading"
    /// Text after a redirect sign-in could not be completed.
    case callbackError = "callback.error"
    /// Label of the button that stops a sign-in after an error that any app can cause.
    case callbackStop = "callback.stop"

    // MARK: The user

    /// Text in place of an unknown name.
    case userAnonymous = "user.anonymous"
    /// The heading of a profile.
    case userProfileTitle = "userProfile.title"
    /// Label of the button that saves a profile.
    case userProfileSave = "userProfile.save"
    /// Text while a profile is being fetched.
    case userProfileLoading = "userProfile.loading"
    /// Text while a profile is being saved.
    case userProfileSaving = "userProfile.saving"
    /// Error at a profile's field that must not be empty.
    case userProfileMissing = "userProfile.missing"
    /// Error at a profile's field that must be a number.
    case userProfileNotNumber = "userProfile.notNumber"
    /// Hint for screen readers, after the user's name, on the button that opens the menu.
    case userMenuHint = "user.menuHint"

    // MARK: Languages

    /// The heading of a choice of languages.
    case languageSwitcherTitle = "languageSwitcher.title"

    // MARK: Fields

    /// Label of the field for the user name.
    case fieldUsername = "field.username"
    /// Label of the field for the password.
    case fieldPassword = "field.password"
    /// Label of the field for the e-mail address.
    case fieldEmail = "field.email"
    /// Label of the field for the mobile phone number.
    case fieldMobileNumber = "field.mobileNumber"
    /// Label of the field for a one-time code.
    case fieldOneTimeCode = "field.oneTimeCode"
    /// Label of the field for a mailed link or its code.
    case fieldLinkOrCode = "field.linkOrCode"
    /// Label of the field for the given name.
    case fieldGivenName = "field.givenName"
    /// Label of the field for the family name.
    case fieldFamilyName = "field.familyName"
    /// Label of the full-name field.
    case fieldName = "field.name"
    /// Label of the field for the date of birth.
    case fieldBirthdate = "field.birthdate"
    /// Label of a date field before a date is chosen.
    case fieldChooseDate = "field.chooseDate"
    /// Label of the button that clears a date.
    case fieldRemoveDate = "field.removeDate"
}
