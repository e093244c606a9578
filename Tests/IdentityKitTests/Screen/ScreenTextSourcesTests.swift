import Foundation
import IdentityCore
import IdentityKit
import TestSupport
import Testing

/// The texts of a sign-in screen and the sources must agree: no text is without a key, no key is unused, and what a provider
/// says is known in every language.
@Suite struct ScreenTextSourcesTests {
    private static let languages = ScreenTexts.all.filter { $0.language != "en" }

    @Test("No view and no row has a text of its own")
    func literals() throws {
        let names =
            "Text|Button|Label|Toggle|Picker|TextField|SecureField|Link|navigationTitle|accessibility(Label|Hint)"
        let view = #"\b(\#(names))\((verbatim: )?"[^"\n]*\p{L}"#
        #expect(try SourceFiles.places(of: view).filter { $0.hasPrefix("Sources/IdentitySwiftUI/") }.isEmpty)
        let words = try SourceFiles.places(of: #""[^"\n]*\p{L}[^"\n]*""#)
        #expect(!words.contains { $0.hasSuffix("Screen/SignInRow.swift") })
        // The search finds what it is meant to find.
        #expect(#"Text(verbatim: "Sign in")"#.range(of: view, options: .regularExpression) != nil)
    }

    @Test("Each text is used by a row or a view", arguments: ScreenTexts.Key.allCases)
    func unused(key: ScreenTexts.Key) throws {
        let places = try SourceFiles.places(of: #"text\(\.\#(key)\b"#)
        #expect(places.contains { $0.hasSuffix("Screen/SignInRow.swift") || $0.hasPrefix("Sources/IdentitySwiftUI/") })
    }

    @Test("What a provider asks is known in every language", arguments: languages)
    func prompts(texts: ScreenTexts) throws {
        let steps = try SourceFiles.all().filter { file in
            file.path.hasPrefix("Providers/InsForge/SignIn/") && file.text.contains("SignInPrompt")
                || file.path.hasSuffix("IdentityOAuth/Provider/OAuthConnection+SignIn.swift")
                || file.path.hasSuffix("ThunderID/Flow/FlowPrompt.swift")
        }
        var said: Set<String> = []
        for line in steps.flatMap({ $0.text.split(separator: "\n") }) where !line.contains("///") {
            said.formUnion(line.matches(of: /label: "([^"]+)"/).map { String($0.output.1) })
            said.formUnion(line.matches(of: /"((?:[A-Z]|\\\()[^"]* [^"]*\.)"/).map { String($0.output.1) })
        }
        #expect(said.count > 15 && said.contains("Mail a code"))
        for text in said {
            let example = text.replacing(/\\\(\w+\)/, with: "ada@example.com")
            #expect(texts.said(example) != example, "\(texts.language) has no words for: \(text)")
        }
    }

    @Test("How a session ends is known in every language", arguments: languages)
    func sessions(texts: ScreenTexts) {
        let account = AccountID(account: "1", realm: "work")
        for reason in ["The server no longer accepts this sign-in. Sign in again.", "This account no longer exists."] {
            let message = SessionError.ended(account, reason: reason).message
            #expect(!texts.said(message).contains(String(reason.prefix(12))), "\(texts.said(message))")
            #expect(texts.said(message).contains("work"))
        }
        #expect(
            ScreenTexts.german.said(#"The sign-in was refused or cancelled. The server says: "Not today"."#)
                == "Die Anmeldung wurde abgelehnt oder abgebrochen. Der Server sagt: „Not today“.")
    }

    @Test("No language has words that nothing says", arguments: languages)
    func unusedWords(texts: ScreenTexts) throws {
        let sources = try SourceFiles.all().filter { !$0.path.hasSuffix("ScreenTexts+Languages.swift") }.map(\.text)
        for word in texts.words.keys where !word.contains("%@") {
            #expect(sources.contains { $0.contains("\"\(word)") }, "nothing says: \(word)")
        }
    }
}
