import Foundation
import IdentityKit

func textsOfAnApp() -> ScreenTexts {
    // snippet: languages-of-a-screen
    let french = ScreenTexts(
        language: "fr",
        texts: [.signIn: "Connexion", .continueAs: "Continuer en tant que %@", .cancel: "Annuler"],
        words: [
            "E-mail address": "Adresse e-mail",
            "Enter the code that was mailed to %@.": "Saisissez le code envoyé à %@.",
        ])
    let texts = ScreenTexts.best(for: Locale.preferredLanguages, among: ScreenTexts.all + [french])
    // end snippet
    return texts
}

func ownWords() -> ScreenTexts {
    // snippet: words-of-an-app
    ScreenTexts.english.replacing([.signIn: "Welcome"], words: ["Mail a code": "Send me a code"])
    // end snippet
}
