import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// The rows of a sign-in screen.
@Suite struct SignInScreenTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private var prompt: SignInPrompt {
        var password = SignInPrompt.Field(identifier: "password", label: "Password", kind: .password)
        password.rules = [.init(lengths: 8...64)]
        return SignInPrompt(
            provider: "work", problem: "The password is wrong.", message: "Who are you?",
            fields: [.init(identifier: "email", label: "E-mail", kind: .email), password],
            actions: [
                .init(identifier: "go", label: "Go"), .init(identifier: "lost", label: "Forgot it?", rank: .quiet),
                .init(
                    identifier: "again", label: "Mail another", purpose: .resend, availableAfter: now + 60),
            ])
    }

    @Test("A step is drawn in order: what is amiss, what is asked, the fields with their errors, the ways on")
    func step() {
        var screen = SignInScreen()
        screen.prompt = prompt
        screen.values = ["email": Secret("ada@example.com"), "password": Secret("planted")]
        screen.problems = ["password": .unfit(nil)]
        #expect(
            screen.text(.english, at: now) == """
                # Sign in
                ! The password is wrong.
                Who are you?
                E-mail: [filled in]
                Password: [filled in] ! This is too short or too long.
                (Go)
                quiet Forgot it?
                second Mail another, rests
                quiet Cancel
                """)
        #expect(screen.text(.english, at: now + 60).contains("second Mail another\n"))
    }

    @Test("A field has the role of its kind for password managers, and a password that is chosen now one of its own")
    func autofill() {
        let fields = SignInPrompt.Field.Kind.allCases.map {
            SignInPrompt.Field(identifier: $0.rawValue, label: "F", kind: $0)
        }
        let roles = Dictionary(
            uniqueKeysWithValues: fields.compactMap { field in field.autofill.map { (field.kind, $0) } })
        #expect(
            roles == [
                .username: .username, .email: .emailAddress, .password: .password, .oneTimeCode: .oneTimeCode,
                .phone: .telephoneNumber,
            ])
        var chosen = SignInPrompt.Field(identifier: "new", label: "New password", kind: .password)
        chosen.isNew = true
        #expect(chosen.autofill == .newPassword)
    }

    @Test("A screen reader says what is amiss, else that something is awaited, and not what stands beside a field")
    func announcement() {
        var screen = SignInScreen()
        screen.prompt = prompt
        screen.problems = ["password": .unfit(nil)]
        screen.notice = .clockWrong
        screen.isBusy = true
        #expect(
            screen.rows(.english, at: now).announcement
                == "This device's clock is wrong. Set it and try again. The password is wrong.")
        screen.prompt = nil
        screen.notice = nil
        #expect(screen.rows(.german, at: now).announcement == "Einen Moment …")
        screen.isBusy = false
        #expect(screen.rows(.german, at: now).announcement == nil)
    }

    @Test("Accounts that are there come before the providers, and one button is primary")
    func choices() {
        var screen = SignInScreen()
        screen.backends = [.init(name: "work"), .init(name: "home", label: "Home", host: "id.example.com")]
        screen.people = [
            .init(account: AccountID(account: "1", realm: "work"), name: "Ada"),
            .init(account: AccountID(account: "2", realm: "home"), name: "Bob", signInAt: "home"),
        ]
        screen.notice = .offline
        #expect(
            screen.text(.german, at: now) == """
                # Anmelden
                ! Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.
                (Weiter als Ada)
                second Als Bob erneut anmelden
                second Mit work anmelden
                second Mit Home anmelden -> id.example.com
                """)
    }

    @Test("A busy step keeps what was typed, and its buttons rest", arguments: [true, false])
    func busy(hasActions: Bool) {
        var screen = SignInScreen()
        screen.prompt =
            hasActions
            ? prompt : SignInPrompt(provider: "work", fields: [.init(identifier: "email", label: "E-mail")])
        screen.values = ["email": Secret("ada@example.com")]
        screen.isBusy = true
        let text = screen.text(.english, at: now + 60)
        #expect(text.contains("E-mail: [filled in]"))
        #expect(text.contains(hasActions ? "(Go), rests" : "(Continue), rests"))
        #expect(text.hasSuffix("... One moment…\nquiet Cancel"))
    }

    @Test("No state has two primary buttons")
    func onePrimary() {
        var screen = SignInScreen()
        screen.prompt = SignInPrompt(
            provider: "work", fields: [],
            actions: [
                .init(identifier: "a", label: "A", rank: .primary), .init(identifier: "b", label: "B", rank: .primary),
            ])
        #expect(screen.text(.english, at: now).components(separatedBy: "(").count == 2)
    }

    @Test("Every key has a text with the placeholders of English", arguments: ScreenTexts.all + [.pseudo])
    func texts(texts: ScreenTexts) {
        #expect(texts.mistakes.isEmpty)
    }

    @Test("The check of texts finds what is missing and what differs; an app's own words count")
    func mistakes() {
        let texts = ScreenTexts(
            language: "fr", texts: [.signIn: "Connexion", .continueAs: "Continuer"],
            words: ["Mailed to %@.": "Envoyé.", "Password": "Mot de passe"])
        #expect(texts.mistakes.contains(#"fr: the placeholders of "Mailed to %@." differ"#))
        #expect(texts.mistakes.count == ScreenTexts.Key.allCases.count)
        #expect(texts.mistakes.contains("fr: the placeholders of continue_as differ"))
        #expect(texts.mistakes.contains("fr: cancel has no text"))
        #expect(texts.text(.cancel) == "Cancel")
        #expect(ScreenTexts.german.replacing([.signIn: "Los"]).text(.signIn) == "Los")
        #expect(ScreenTexts.pseudo.replacing([:]).said("Go") == "[Go~]")
    }

    @Test("A step is drawn in an app's own language, its links, hints and texts to copy too")
    func ownLanguage() {
        var name = SignInPrompt.Field(identifier: "name", label: "Name", kind: .username)
        name.placeholder = "Your name"
        var screen = SignInScreen()
        screen.prompt = SignInPrompt(provider: "work", message: "Mailed to ada@example.com.", fields: [name])
        let page = URL(fileURLWithPath: "terms")
        screen.prompt?.parts = [
            .link("Terms", url: page), .textToCopy("planted", label: "Recovery code"),
            .picture(page, description: "A key"),
        ]
        let words = [
            "Mailed to %@.": "Envoyé à %@.", "Name": "Nom", "Your name": "Votre nom", "Terms": "Conditions",
            "Recovery code": "Code de secours", "A key": "Une clé",
        ]
        let french = ScreenTexts(language: "fr", texts: [.goOn: "Continuer"], words: words)
        let rows = screen.rows(.best(for: ["fr-CA", "en"], among: ScreenTexts.all + [french]), at: now)
        #expect(
            Array(rows.dropLast(2)) == [
                .title("Sign in"), .picture(page, description: "Une clé"), .text("Envoyé à ada@example.com."),
                .link("Conditions", url: page), .copy("planted", label: "Code de secours"),
                .field(name.saying("Votre nom"), label: "Nom", value: nil, problem: nil),
            ])
        #expect(rows.suffix(2).map(\.line) == ["(Continuer)", "quiet Cancel"])
    }

    @Test(
        "The person's first language that is there is taken",
        arguments: [
            (["fr", "de-AT"], "de"), (["DE_latn_AT"], "de"), (["en-GB", "de"], "en"), (["fr"], "en"), ([], "en"),
        ])
    func best(languages: [String], expected: String) {
        #expect(ScreenTexts.best(for: languages).language == expected)
        #expect(ScreenTexts.best(for: languages + ["en-XB"], among: [.pseudo]).isRightToLeft)
    }

    @Test("The language for layout is a third longer and from right to left", arguments: ScreenTexts.Key.allCases)
    func pseudo(key: ScreenTexts.Key) {
        #expect(ScreenTexts.pseudo.isRightToLeft)
        #expect(ScreenTexts.pseudo.text(key).count * 3 >= ScreenTexts.english.text(key).count * 4)
    }

    @Test("A screen offers the providers that are named, in their order, and none that is not there")
    func offering() {
        var screen = SignInScreen()
        screen.backends = [.init(name: "work"), .init(name: "home"), .init(name: "guest")]
        #expect(screen.offering(["guest", "elsewhere", "work"]).backends.map(\.name) == ["guest", "work"])
        #expect(screen.offering([]).backends.isEmpty)
    }
}

extension SignInPrompt.Field {
    fileprivate func saying(_ placeholder: String) -> SignInPrompt.Field {
        var field = self
        field.placeholder = placeholder
        return field
    }
}
