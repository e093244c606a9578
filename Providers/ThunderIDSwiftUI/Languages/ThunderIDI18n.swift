import Foundation
import IdentityKit

#if canImport(Combine)
import Combine
#endif

/// The language of the views, which can change while the app runs, and the app's own texts.
///
/// Pass it to `thunderIDProvider(config:i18n:)`, or take it from ``ThunderIDState/i18n``.
@MainActor
public final class ThunderIDI18n {
    /// The current language of the views, as a BCP 47 tag.
    @Published public private(set) var activeLocale: String

    /// The texts of the views, in ``activeLocale``.
    @Published public private(set) var texts: ThunderIDTexts

    private let memory: LanguageMemory
    private let storageKey: String
    /// Functions to call after a change of the language.
    private var followers: [@MainActor (ThunderIDTexts) -> Void] = []

    /// Creates the texts of the views, and reads the saved choice of a language.
    /// - Parameters:
    ///   - bundles: the app's own texts, by language and by the raw value of their ``TextKey``.
    ///   - language: the language, regardless of a saved choice; `nil` for the saved choice, or else the person's first
    ///     language.
    ///   - fallbackLanguage: the language for texts that the current language lacks.
    ///   - storageKey: the key under which the choice is saved in the app's user defaults on Apple's systems.
    public convenience init(
        bundles: [String: [String: String]] = [:], language: String? = nil, fallbackLanguage: String = "en-US",
        storageKey: String = "thunderid_locale"
    ) {
        self.init(
            bundles: bundles, language: language, usualLanguage: nil, fallbackLanguage: fallbackLanguage,
            storageKey: storageKey, memory: .system)
    }

    /// Creates the texts in the first of these languages that is not `nil`: `language`, the saved language, `usualLanguage`,
    /// the person's first language, `fallbackLanguage`.
    init(
        bundles: [String: [String: String]] = [:], language: String? = nil, usualLanguage: String?,
        fallbackLanguage: String = "en-US", storageKey: String, memory: LanguageMemory
    ) {
        let chosen = language ?? memory.language(storageKey) ?? usualLanguage ?? Locale.preferredLanguages.first
        activeLocale = chosen ?? fallbackLanguage
        texts = ThunderIDTexts(
            language: chosen ?? fallbackLanguage, overrides: bundles, fallbackLanguage: fallbackLanguage)
        self.memory = memory
        self.storageKey = storageKey
    }

    /// Creates the texts in the language that the person chose before, or else in the language of the configuration.
    convenience init(config: ThunderIDConfig?) {
        self.init(
            usualLanguage: config?.language, storageKey: "\(config?.vendor ?? "thunderid")_locale", memory: .system)
    }

    /// The text with this key, such as `signIn.button`, in the chosen language; the key itself if there is none.
    public func resolve(_ key: String) -> String { texts.resolve(key) }

    /// Changes the language, and on Apple's systems saves the choice. Does nothing if `locale` is the current language.
    /// - Parameter locale: a BCP 47 tag.
    public func setLocale(_ locale: String) {
        guard locale != activeLocale else { return }
        memory.setLanguage(locale, storageKey)
        (activeLocale, texts) = (locale, texts.inLanguage(locale))
        for follower in followers { follower(texts) }
    }

    /// Calls `follower` after every change of the language.
    func follow(_ follower: @escaping @MainActor (ThunderIDTexts) -> Void) {
        followers.append(follower)
    }
}

/// Saves the chosen language, for the next start.
@MainActor
struct LanguageMemory {
    var language: @MainActor (_ key: String) -> String?
    var setLanguage: @MainActor (_ language: String, _ key: String) -> Void

    /// The app's user defaults on Apple's systems. Nothing is saved on other systems.
    static var system: LanguageMemory {
        #if canImport(Darwin)
        LanguageMemory(
            language: { UserDefaults.standard.string(forKey: $0) },
            setLanguage: { UserDefaults.standard.set($0, forKey: $1) })
        #else
        LanguageMemory(language: { _ in nil }, setLanguage: { _, _ in })
        #endif
    }
}

#if canImport(Combine)
extension ThunderIDI18n: ObservableObject {}
#endif
