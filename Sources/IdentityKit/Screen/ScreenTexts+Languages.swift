extension ScreenTexts {
    /// The built-in languages, each with a text for every key.
    public static let all: [ScreenTexts] = [english, german]

    public static let english = ScreenTexts(language: "en", texts: englishTexts)

    public static let german = ScreenTexts(
        language: "de",
        texts: [
            .signIn: "Anmelden", .signOut: "Abmelden", .signInWith: "Mit %@ anmelden", .continueAs: "Weiter als %@",
            .signInAgainAs: "Als %@ erneut anmelden", .goOn: "Weiter", .cancel: "Abbrechen", .busy: "Einen Moment …",
            .needed: "Diese Angabe fehlt.", .unfit: "Diese Angabe hat nicht die richtige Länge.",
            .optional: "%@ (freiwillig)",
            .enterCode: "Öffnen Sie auf einem anderen Gerät %@ und geben Sie den Code ein.",
            .changed: "Die Einstellungen der App haben sich geändert. Bitte melden Sie sich erneut an.",
            .offline: "Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
            .clock: "Die Uhr dieses Geräts geht falsch. Stellen Sie sie und versuchen Sie es noch einmal.",
            .chooseDate: "Datum wählen", .removeDate: "Datum entfernen",
        ],
        words: [
            "Sign in": "Anmelden", "Continue": "Weiter", "Stop": "Abbrechen",
            "E-mail address": "E-Mail-Adresse", "Username": "Benutzername", "Password": "Passwort",
            "The e-mail address or the password is wrong. Try again.":
                "Die E-Mail-Adresse oder das Passwort ist falsch. Versuchen Sie es noch einmal.",
            "The user name or the password is wrong. Try again.":
                "Der Benutzername oder das Passwort ist falsch. Versuchen Sie es noch einmal.",
            "Mail a code": "Code senden", "Mail another code": "Weiteren Code senden",
            "Code from the mail": "Code aus der E-Mail",
            "Enter the code from the mail.": "Geben Sie den Code aus der E-Mail ein.",
            "The code is wrong or too old. Enter the newest one, or ask for another.":
                "Der Code ist falsch oder zu alt. Geben Sie den neuesten ein, oder fordern Sie einen weiteren an.",
            "Mail another link": "Weiteren Link senden", "I have opened the link": "Ich habe den Link geöffnet",
            "Enter the e-mail address.": "Geben Sie die E-Mail-Adresse ein.",
            "Enter the e-mail address and the password.": "Geben Sie die E-Mail-Adresse und das Passwort ein.",
            "Enter the code that was mailed to %@.": "Geben Sie den Code ein, der an %@ gesendet wurde.",
            "Enter the code of the last mail to %@.": "Geben Sie den Code der letzten E-Mail an %@ ein.",
            "Another code was mailed to %@. Only that one works now.":
                "Ein weiterer Code wurde an %@ gesendet. Nur dieser gilt jetzt.",
            "%@ is not verified yet. Enter the code from the mail.":
                "%@ ist noch nicht bestätigt. Geben Sie den Code aus der E-Mail ein.",
            "%@ is not verified yet. Open the link in the mail, then continue.":
                "%@ ist noch nicht bestätigt. Öffnen Sie den Link in der E-Mail, und fahren Sie dann fort.",
            "%@ is still not verified. Open the link in the mail first.":
                "%@ ist immer noch nicht bestätigt. Öffnen Sie zuerst den Link in der E-Mail.",
            "The mail could not be sent. Try again later.":
                "Die E-Mail konnte nicht gesendet werden. Versuchen Sie es später noch einmal.",
            "Too many attempts. Wait a minute and try again.":
                "Zu viele Versuche. Warten Sie eine Minute, und versuchen Sie es noch einmal.",
            "Too many attempts. Try again in %@.": "Zu viele Versuche. Versuchen Sie es in %@ noch einmal.",
            "This account no longer exists.": "Dieses Konto gibt es nicht mehr.",
            "The link or code from the mail": "Link oder Code aus der E-Mail",
            "A mail was sent. Enter the link or the code from it; the whole link may be pasted.":
                "Eine E-Mail wurde gesendet. Geben Sie den Link oder den Code daraus ein; der ganze Link darf es sein.",
            "User name or e-mail address": "Benutzername oder E-Mail-Adresse",
            "%@ sends you to %@ to sign in, and it was %@ before.":
                "%@ schickt Sie zum Anmelden zu %@, und bisher war es %@.",
            "The session with %@ has ended: %@ Sign in again.":
                "Die Sitzung bei %@ ist beendet: %@ Bitte melden Sie sich erneut an.",
            "The server no longer accepts this sign-in.": "Der Server nimmt diese Anmeldung nicht mehr an.",
            "The server needs the person to sign in (%@).": "Der Server verlangt eine neue Anmeldung (%@).",
            "The sign-in was refused or cancelled.": "Die Anmeldung wurde abgelehnt oder abgebrochen.",
            "The sign-in took too long. Start it again.":
                "Die Anmeldung hat zu lange gedauert. Beginnen Sie noch einmal.",
            "The server cannot answer now (%@). Try again later.":
                "Der Server kann gerade nicht antworten (%@). Versuchen Sie es später noch einmal.",
            #"%@ The server says: "%@"."#: "%@ Der Server sagt: „%@“.",
        ])

    /// Returns the text made a third longer, as in the language for finding layouts that break.
    package static func longer(_ text: String) -> String {
        "[" + text + String(repeating: "~", count: max(1, (text.count + 2) / 3)) + "]"
    }

    package static let englishTexts: [Key: String] = [
        .signIn: "Sign in", .signOut: "Sign out", .signInWith: "Sign in with %@", .continueAs: "Continue as %@",
        .signInAgainAs: "Sign in again as %@", .goOn: "Continue", .cancel: "Cancel", .busy: "One moment…",
        .needed: "This is needed.", .unfit: "This is too short or too long.", .optional: "%@ (optional)",
        .enterCode: "Open %@ on another device and enter the code.",
        .changed: "The app's settings have changed. Sign in again.",
        .offline: "The server cannot be reached. Check the connection and try again.",
        .clock: "This device's clock is wrong. Set it and try again.", .chooseDate: "Choose a date",
        .removeDate: "Remove the date",
    ]
}
