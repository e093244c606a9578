import Foundation
import IdentityKit
import TestSupport
import Testing
import ThunderID

@testable import ThunderIDSwiftUI

/// The catalogue and the sources must agree: no text is missing, unused or untranslated.
@Suite struct CatalogTests {
    private static let package = PackageFolder.url

    /// What prints for a terminal or is said to a developer who calls a function, and never by a view.
    private static let silentFiles: Set = [
        "FlowPrompt.swift", "FlowSignIn.swift", "ThunderIDProvider.swift", "PasswordChangedError.swift",
        "ThunderIDPlugin.swift", "LegacySDKSession.swift",
    ]

    private let catalog = StringCatalog.own

    /// What begins the keys of sentences that are found by their English.
    private static let sentencePrefixes = ["error.", "problem."]

    private var keys: Set<String> { catalog.keys(in: "en") }
    private var sentenceKeys: Set<String> {
        keys.filter { key in Self.sentencePrefixes.contains { key.hasPrefix($0) } }
    }

    @Test("Each text is in the catalogue, in English and in German, and nothing else is", arguments: ["en", "de"])
    func complete(language: String) {
        let keys = catalog.keys(in: language)
        let named = Set(TextKey.allCases.map(\.rawValue))
        #expect(named.subtracting(keys).isEmpty)
        #expect(keys.subtracting(named).subtracting(sentenceKeys).isEmpty)
        #expect(keys == self.keys)
        #expect(catalog.languages == ["de", "en"])
    }

    @Test("Each entry of the file is translated, has no leftovers, and says the same with the same values")
    func entries() throws {
        let file = Self.package.appendingPathComponent("Providers/ThunderIDSwiftUI/Resources/ThunderID.xcstrings")
        let bytes = try Data(contentsOf: file)
        #expect([UInt8](bytes) == PackageResources.ThunderID_xcstrings)
        let document = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        #expect(document["sourceLanguage"] as? String == "en")
        for (key, entry) in try #require(document["strings"] as? [String: [String: Any]]) {
            #expect(entry["extractionState"] as? String == "manual", "\(key)")
            let localizations = try #require(entry["localizations"] as? [String: [String: [String: String]]])
            #expect(Set(localizations.keys) == ["de", "en"], "\(key)")
            let units = localizations.compactMapValues { $0["stringUnit"] }
            #expect(units.values.allSatisfy { $0["state"] == "translated" && $0["value"]?.isEmpty == false }, "\(key)")
            let (english, german) = (units["en"]?["value"] ?? "", units["de"]?["value"] ?? "")
            // A translation may leave a value out, and cannot have one more.
            #expect(Self.placeCount(german) <= Self.placeCount(english), "\(key)")
            #expect(german == german.trimmingCharacters(in: .whitespaces), "\(key)")
        }
    }

    @Test("Each code of an error has a text of its own")
    func codes() {
        let codes = Set(IAMErrorCode.allCases.map { "error.code.\($0.rawValue)" })
        #expect(codes == keys.filter { $0.hasPrefix("error.code.") })
    }

    @Test("Each sentence of the libraries that a person may see has a translation")
    func sentences() throws {
        let sentences = try Self.sentences(below: "Providers/ThunderID")
            .union(Self.sentences(below: "Providers/ThunderIDSwiftUI"))
        // The search finds what it is meant to find.
        #expect(sentences.count > 100 && sentences.contains("The user name or the password is wrong. Try again."))
        let texts = ThunderIDTexts(language: "de")
        for sentence in sentences {
            let example = sentence.replacingOccurrences(of: "%@", with: "7")
            let translation = texts.translation(of: example)
            #expect(translation != nil && translation != example, "not in the catalogue: \(sentence)")
        }
    }

    @Test("No sentence is in the catalogue that no library says")
    func unusedSentences() throws {
        let said = try Self.sentences(below: "Providers/ThunderID")
            .union(Self.sentences(below: "Providers/ThunderIDSwiftUI"))
            .union(Self.sentences(below: "Sources/IdentityCore"))
            .union(Self.sentences(below: "Sources/IdentityKit"))
        for key in sentenceKeys where !key.hasPrefix("error.code.") {
            let sentence = try #require(catalog.text(key, in: "en"))
            #expect(said.contains(sentence), "\(key) is not used")
        }
    }

    @Test("Each text is used by a view or a flow")
    func unusedTexts() throws {
        let files = try Self.lines(below: "Providers/ThunderIDSwiftUI").filter { $0.file != "TextKey.swift" }
        let words = Set(files.flatMap(\.lines).flatMap { $0.matches(of: /\.(\w+)/).map { String($0.output.1) } })
        for key in TextKey.allCases { #expect(words.contains("\(key)"), "\(key.rawValue) is not used") }
    }

    @Test("No view has a text of its own")
    func literals() throws {
        let views =
            #/\b(Text|Button|Label|Toggle|Picker|TextField|SecureField|Link|Menu|Section|navigationTitle|accessibilityLabel|accessibilityHint|alert|help)\((verbatim: )?"[^"]*\p{L}/#
        for (file, lines) in try Self.lines(below: "Providers/ThunderIDSwiftUI") {
            for line in lines {
                #expect(line.firstMatch(of: views) == nil, "\(file): \(line)")
            }
        }
    }

    private static func placeCount(_ text: String) -> Int {
        TextTemplate(text).filled(with: Array(repeating: "\u{1}", count: 9)).filter { $0 == "\u{1}" }.count
    }

    // MARK: The sources

    /// The sentences in the code of a folder, with `%@` where a value stands.
    private static func sentences(below folder: String) throws -> Set<String> {
        try lines(below: folder)
            .filter { !silentFiles.contains($0.file) }.flatMap(\.lines)
            .filter { !$0.contains("@available") && !$0.contains("message:") || $0.contains("localized message:") }
            .reduce(into: []) { found, line in
                found.formUnion(literals(in: line).filter { isSentence($0) })
            }
    }

    /// What begins like a sentence, ends like one and has more than a word.
    private static func isSentence(_ text: String) -> Bool {
        guard let first = text.first, text.hasSuffix(".") || text.hasSuffix(": %@") || text.contains(". ") else {
            return false
        }
        // Values alone are no sentence.
        let words = text.replacingOccurrences(of: "%@", with: "")
        return words.contains(where: \.isLetter) && text.contains(" ")
            && (first.isUppercase || first == "%" || first == "\"")
    }

    private static func lines(below folder: String) throws -> [(file: String, lines: [Substring])] {
        let root = package.appendingPathComponent(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }.map {
            let source = try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8)
            let lines = source.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            return (URL(fileURLWithPath: $0).lastPathComponent, lines)
        }
    }

    /// The string literals of a line, with `%@` for what is interpolated.
    private static func literals(in line: Substring) -> [String] {
        var (found, text, rest) = ([String](), String?.none, line)
        while let character = rest.popFirst() {
            if character == "\"" {
                if let literal = text { found.append(literal) }
                text = text == nil ? "" : nil
            } else if text != nil, character == "\\" {
                let escaped = rest.popFirst()
                guard escaped == "(" else {
                    text?.append(escaped ?? " ")
                    continue
                }
                var depth = 1
                while depth > 0, let inner = rest.popFirst() { depth += inner == "(" ? 1 : inner == ")" ? -1 : 0 }
                text? += "%@"
            } else {
                text?.append(character)
            }
        }
        return found
    }
}
