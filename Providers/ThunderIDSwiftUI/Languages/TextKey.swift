/// Keys of the views' texts. The keys stay the same in all versions. An app can replace the text of a key; see
/// <doc:TextsAndLanguages>.
public enum TextKey: String, CaseIterable, Sendable {
    // MARK: Signing in

    /// Label of a ``SignInButton`` for which the app sets no title.
    case signInButton = "signIn.button"
    /// Label of the button of a step without actions, or of an action without a label or name.
    case signInSubmit = "signIn.submit"
    /// Label of the button that signs in with Google, if the server sends none.
    case signInContinueWithGoogle = "signIn.continueWithGoogle"
    /// Label of the button that signs in with GitHub, if the server sends none.
    case signInContinueWithGithub = "signIn.continueWithGithub"
    /// Label of the button that signs in with Apple, Facebook, LinkedIn or Microsoft, if the server sends none. The
    /// placeholder stands for the provider's name.
    case signInContinueWith = "signIn.continueWith"
    /// Label of the button that signs in with a passkey, if the server sends none.
    case signInContinueWithPasskey = "signIn.continueWithPasskey"
    /// Label of the button that tries again after a failure, such as a closed page or a profile that could not be read.
    case signInTryAgain = "signIn.tryAgain"
    /// Label of the button that starts the flow again from its first step.
    case signInStartAgain = "signIn.startAgain"
    /// Text for screen readers while a request is in progress.
    case signInWait = "signIn.wait"
    /// Text above the field for a mailed link, if the server sends none.
    case signInOpenLink = "signIn.openLink"
    /// Message after a sign-in flow that ends without a sign-in, for example with a new password, if the server sends none.
    case signInDone = "signIn.done"

    // MARK: Registering

    /// Label of ``SignUpButton``, which leads to the app's registration.
    case signUpButton = "signUp.button"

    // MARK: Signing out

    /// Label of the sign-out in ``UserDropdown``, and of a ``SignOutButton`` for which the app sets no title.
    case signOutButton = "signOut.button"

    // MARK: Coming back from a browser

    /// Text while a redirect sign-in is being completed.
    case callbackLoading = "callback.loading"
    /// Heading above the error of a redirect sign-in that could not be completed.
    case callbackError = "callback.error"
    /// Label of the button that stops waiting for redirect sign-ins, after an error that another app may have caused.
    case callbackStop = "callback.stop"

    // MARK: The user

    /// Text in place of an unknown name.
    case userAnonymous = "user.anonymous"
    /// Heading of ``UserProfile``, and label of the menu entry in ``UserDropdown`` that opens the profile.
    case userProfileTitle = "userProfile.title"
    /// Label of the button that saves a profile, while no request is in progress.
    case userProfileSave = "userProfile.save"
    /// Text while a profile is read for the first time.
    case userProfileLoading = "userProfile.loading"
    /// Label of the button that saves a profile, while the profile is being saved or read again.
    case userProfileSaving = "userProfile.saving"
    /// Error at a profile's field that must not be empty.
    case userProfileMissing = "userProfile.missing"
    /// Error at a profile's field that must be a number.
    case userProfileNotNumber = "userProfile.notNumber"
    /// Hint for screen readers, after the user's name, on the button that opens the menu.
    case userMenuHint = "user.menuHint"

    // MARK: Languages

    /// Heading above the languages of a ``LanguageSwitcher``.
    case languageSwitcherTitle = "languageSwitcher.title"

    // MARK: Fields

    /// Label of a field named `username`, if the server sends none.
    case fieldUsername = "field.username"
    /// Label of a field named `password`, if the server sends none.
    case fieldPassword = "field.password"
    /// Label of a field named `email`, `emailAddress` or `mail`, if the server sends none.
    case fieldEmail = "field.email"
    /// Label of a field named `mobileNumber`, `phoneNumber`, `mobile` or `phone`, if the server sends none.
    case fieldMobileNumber = "field.mobileNumber"
    /// Label of a field named `otp`, `code` or `oneTimeCode`, if the server sends none.
    case fieldOneTimeCode = "field.oneTimeCode"
    /// Label of the field into which a person pastes a mailed link or its code.
    case fieldLinkOrCode = "field.linkOrCode"
    /// Label of a field named `givenName` or `firstName`, if the server sends none.
    case fieldGivenName = "field.givenName"
    /// Label of a field named `familyName` or `lastName`, if the server sends none.
    case fieldFamilyName = "field.familyName"
    /// Label of a field named `name`, `displayName` or `fullName`, if the server sends none.
    case fieldName = "field.name"
    /// Label of a field named `birthdate`, `dateOfBirth` or `birthday`, if the server sends none.
    case fieldBirthdate = "field.birthdate"
    /// Label of the button that sets an empty date field to today, so that a date can be chosen.
    case fieldChooseDate = "field.chooseDate"
    /// Label of the button that clears an optional date field.
    case fieldRemoveDate = "field.removeDate"
}
