import Foundation
import IdentityKit
import Testing
import ThunderID

@testable import ThunderIDSwiftUI

/// Which text is taken, and what hostile ones do.
@Suite struct TextTests {
    private func catalog(_ strings: [String: [String: String]]) throws -> StringCatalog {
        let entries = strings.mapValues { texts in
            ["localizations": texts.mapValues { ["stringUnit": ["state": "translated", "value": $0]] }]
        }
        return StringCatalog([UInt8](try JSONSerialization.data(withJSONObject: ["strings": entries])))
    }

    @Test(
        "A text is that of the language, the language without its region, the fallback, and English at last",
        arguments: [
            ("de", "Anmelden"), ("de-AT", "Anmelden"), ("de_CH", "Anmelden"), ("DE-de", "Anmelden"), ("en", "Sign in"),
            ("en-GB", "Sign in"), ("fr", "Sign in"), ("", "Sign in"), ("-", "Sign in"), ("../de", "Sign in"),
            (String(repeating: "de-", count: 1000), "Sign in"),
        ])
    func languages(language: String, expected: String) {
        #expect(ThunderIDTexts(language: language).text(.signInButton) == expected)
    }

    @Test("The app's texts come before the library's, and the nearest language first")
    func overrides() {
        let overrides = [
            "en-US": ["signIn.button": "Log in"], "de": ["signIn.button": "Los geht's"],
            "fr": ["signIn.wait": "Patientez"],
        ]
        func text(_ language: String, fallback: String = "en-US", _ key: TextKey = .signInButton) -> String {
            ThunderIDTexts(language: language, overrides: overrides, fallbackLanguage: fallback).text(key)
        }
        #expect(text("en-US") == "Log in")
        #expect(text("en-GB") == "Log in")
        #expect(text("de-AT") == "Los geht's")
        #expect(text("de", .signInSubmit) == "Weiter")
        #expect(text("fr") == "Log in")
        #expect(text("fr", .signInWait) == "Patientez")
        #expect(text("fr", fallback: "de") == "Los geht's")
        #expect(text("fr", fallback: "de", .signInSubmit) == "Weiter")
        #expect(text("fr", .signInSubmit) == "Continue")
    }

    @Test("A key that nobody knows is shown as it is")
    func unknownKey() {
        #expect(ThunderIDTexts(language: "de").resolve("app.own") == "app.own")
        let own = ThunderIDTexts(language: "de", overrides: ["de": ["app.own": "Eigenes"]])
        #expect(own.resolve("app.own") == "Eigenes")
    }

    @Test(
        "Values stand where their places are, and nothing else is formatted",
        arguments: [
            ("%@ and %@", "a and b"), ("%2$@, %1$@", "b, a"), ("100 %% %@", "100 % a"),
            ("%s %d %n %1$s", "%s %d %n %1$s"),
            ("%", "%"), ("%%", "%"), ("%9$@|", "|"), ("%0$@", "%0$@"), ("", ""), ("é%@é", "éaé"),
        ])
    func templates(template: String, expected: String) {
        #expect(TextTemplate(template).filled(with: ["a", "b"]) == expected)
    }

    @Test(
        "Values are found by their numbers",
        arguments: [
            ("%2$@!", "b!", ["", "b"]), ("%2$@, %1$@", "b, a", ["a", "b"]), ("%1$@ or %1$@", "a or a", ["a"]),
            ("%1$@ or %1$@", "a or b", nil),
        ] as [(String, String, [String]?)])
    func valuesFound(template: String, text: String, values: [String]?) {
        #expect(TextTemplate(template).values(in: text) == values)
    }

    @Test("A sentence with values is found, and its values are put into the translation")
    func sentences() throws {
        let texts = ThunderIDTexts(
            language: "de",
            catalog: try catalog([
                "status": ["en": "Status %@ of %@.", "de": "%2$@ hat Status %1$@."],
                "all": ["en": "%@ failed.", "de": "%@ ging nicht."], "plain": ["en": "Done.", "de": "Fertig."],
            ]))
        #expect(texts.translation(of: "Done.") == "Fertig.")
        #expect(texts.translation(of: "Status 503 of a.example.") == "a.example hat Status 503.")
        #expect(texts.translation(of: "It failed.") == "It ging nicht.")
        #expect(texts.translation(of: "Status 503.") == nil)
        #expect(texts.translation(of: "") == nil)
        let long = String(repeating: "Status of ", count: 100_000) + "."
        #expect(texts.translation(of: long) == nil)
    }

    @Test("An error is told in the server's words, by its sentence, or by its code, and its English stays for logs")
    func errors() {
        let texts = ThunderIDTexts(language: "de")
        #expect(texts.text(for: IAMError(.unknownError, localized: "Genau so.")) == "Genau so.")
        let known = IAMError(.serverError, "The server responded with status 503. Try again later.")
        #expect(
            texts.text(for: known) == "Der Server hat mit Status 503 geantwortet. Versuchen Sie es später noch einmal.")
        #expect(known.message.hasPrefix("The server responded"))
        let unknown = IAMError(.networkError, "TLS: bad record MAC")
        #expect(texts.text(for: unknown).hasPrefix("Der Server ist nicht erreichbar."))
        // English says as much as there is, and so does a language without a translation.
        for language in ["en-US", "fr"] {
            #expect(ThunderIDTexts(language: language).text(for: unknown) == "TLS: bad record MAC")
        }
        let own = ThunderIDTexts(language: "fr", overrides: ["fr": ["error.code.NETWORK_ERROR": "Pas de réseau."]])
        #expect(own.text(for: unknown) == "Pas de réseau.")
    }

    @Test(
        "What is no catalogue has no texts",
        arguments: [
            "", "{", "[]", "null", #"{"strings": 1}"#, #"{"strings": {"a": 1}}"#, #"{"strings": {"a": {}}}"#,
            #"{"strings": {"a": {"localizations": []}}}"#,
            #"{"strings": {"a": {"localizations": {"en": {"stringUnit": 1}}}}}"#,
            #"{"strings": {"a": {"localizations": {"en": {"stringUnit": {"value": ""}}}}}}"#,
            #"{"strings": {"a": {"localizations": {"en": {"variations": {"plural": {}}}}}}}"#,
            String(repeating: "[", count: 100_000),
        ])
    func hostileCatalog(text: String) {
        let catalog = StringCatalog([UInt8](text.utf8))
        #expect(catalog.languages.isEmpty && catalog.key(ofEnglish: "a") == nil)
    }

    @Test("A catalogue, a text or a sentence that is too large is passed over")
    func limits() throws {
        let long = String(repeating: "a", count: StringCatalog.maximumTextSize + 1)
        let kept = try catalog(["long": ["en": long], "short": ["en": "a"]])
        #expect(kept.keys(in: "en") == ["short"])
        let many = String(repeating: " ", count: StringCatalog.maximumSize) + #"{"strings": {}}"#
        #expect(StringCatalog([UInt8](many.utf8)).languages.isEmpty)
    }

    @Test("The texts of an app's own catalogue are those of its tables, as far as they can be read")
    func tables() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("texts-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let large = String(repeating: " ", count: 1 << 20) + #""a" = "b";"#
        for (language, text) in ["de": #""signIn.button" = "Los";"#, "fr": "{{{", "it": large, "en": ""] {
            let lproj = folder.appendingPathComponent("\(language).lproj")
            try FileManager.default.createDirectory(at: lproj, withIntermediateDirectories: true)
            guard !text.isEmpty else { continue }
            try Data(text.utf8).write(to: lproj.appendingPathComponent("ThunderID.strings"))
        }
        let bundle = try #require(Bundle(path: folder.path))
        #expect(ThunderIDI18n.bundles(in: bundle) == ["de": ["signIn.button": "Los"]])
        #expect(ThunderIDI18n.bundles(fromTable: "Other", in: bundle).isEmpty)
    }

    @Test("The English texts are there by their keys, as in the documented type")
    func defaults() {
        #expect(DefaultStrings.all.count == TextKey.allCases.count)
        #expect(DefaultStrings.all["signIn.button"] == "Sign in")
    }

    @Test(
        "A language has the name that its speakers use", arguments: [("de", "Deutsch"), ("en", "English"), ("?", "?")])
    func names(tag: String, name: String) {
        #expect(LanguageName.own(tag) == name)
    }
}
