extension ScreenTexts {
    /// English.
    public static let english = ScreenTexts(language: "en", texts: englishTexts)

    /// German.
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
        ])

    /// English that is a third longer and written from right to left, to find layouts that break.
    public static let pseudo: ScreenTexts = {
        var pseudo = ScreenTexts(language: "en-XB", isRightToLeft: true, texts: englishTexts.mapValues(longer))
        pseudo.isPseudo = true
        return pseudo
    }()

    static func longer(_ text: String) -> String {
        "[" + text + String(repeating: "~", count: max(1, (text.count + 2) / 3)) + "]"
    }

    static let englishTexts: [Key: String] = [
        .signIn: "Sign in", .signOut: "Sign out", .signInWith: "Sign in with %@", .continueAs: "Continue as %@",
        .signInAgainAs: "Sign in again as %@", .goOn: "Continue", .cancel: "Cancel", .busy: "One moment…",
        .needed: "This is needed.", .unfit: "This is too short or too long.", .optional: "%@ (optional)",
        .enterCode: "Open %@ on another device and enter the code.",
        .changed: "The app's settings have changed. Sign in again.",
        .offline: "The server cannot be reached. Check the connection and try again.",
        .clock: "This device's clock is wrong. Set it and try again.",
    ]
}
