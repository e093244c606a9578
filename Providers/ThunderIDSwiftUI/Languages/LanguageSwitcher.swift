#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A list of buttons, each of which changes the language of the views and of the server's texts.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct LanguageSwitcher: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let locales: [String]

    /// Creates a list of languages.
    /// - Parameter locales: the languages to offer, as BCP 47 tags; empty for all languages of this library's texts.
    public init(locales: [String] = []) {
        self.locales = locales
    }

    public var body: some View {
        BaseLanguageSwitcher(locales: locales) { languages, active, select in
            VStack(alignment: .leading, spacing: 4) {
                Text(verbatim: i18n.texts.text(.languageSwitcherTitle)).font(.subheadline)
                    .accessibilityAddTraits(.isHeader)
                ForEach(languages, id: \.self) { language in
                    if language == active {
                        button(language, .chosen, select).accessibilityAddTraits(.isSelected)
                    } else {
                        button(language, nil, select)
                    }
                }
            }
        }
    }

    private func button(
        _ language: String, _ symbol: ButtonPicture.Symbol?, _ select: @escaping (String) -> Void
    ) -> some View {
        RankedButton(
            LanguageName.own(language), picture: symbol.map { ButtonPicture(names: [], symbol: $0) }, rank: nil,
            identifier: ElementIdentifier.language(language)
        ) {
            select(language)
        }
    }
}

/// A choice of languages, drawn by the app.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseLanguageSwitcher<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let locales: [String]
    private let content: ([String], String, @escaping (String) -> Void) -> Content

    /// Creates a choice of languages.
    /// - Parameters:
    ///   - locales: the languages to offer, as BCP 47 tags; empty for all languages of this library's texts.
    ///   - content: draws the view from three arguments: the offered languages; the selected language, or the current
    ///     language if no offered language matches it; and a function that changes the language.
    public init(
        locales: [String] = [],
        @ViewBuilder content: @escaping ([String], String, @escaping (String) -> Void) -> Content
    ) {
        self.locales = locales
        self.content = content
    }

    public var body: some View {
        let choice = LanguageChoice(locales, active: i18n.activeLocale)
        content(choice.languages, choice.selected ?? i18n.activeLocale) { state.setLocale($0) }
    }
}

struct LanguageSwitcherPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut { LanguageSwitcher(locales: ["en", "de", "fr"]) }
    }
}
#endif
