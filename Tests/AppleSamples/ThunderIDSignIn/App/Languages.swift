#if os(iOS) || os(macOS) || os(visionOS)
import SwiftUI
import ThunderIDSwiftUI

/// The texts of the forms in the app's words, and a choice of languages.
enum Languages {
    @MainActor static func ownTexts(_ root: RootView, _ config: ThunderIDConfig) -> some View {
        // snippet: ownTexts
        root.thunderIDProvider(
            config: config,
            i18n: ThunderIDI18n(bundles: [
                "en": ["signIn.submit": "Go on"],
                "de": ["signIn.submit": "Weiter geht's"],
                "fr": ["signIn.submit": "Continuer", "error.code.NETWORK_ERROR": "Le serveur ne répond pas."],
            ]))
        // end snippet
    }

    @MainActor static func ownCatalog(_ root: RootView, _ config: ThunderIDConfig) -> some View {
        // snippet: ownCatalog
        root.thunderIDProvider(config: config, i18n: ThunderIDI18n(bundles: ThunderIDI18n.bundles()))
        // end snippet
    }
}

// snippet: languageMenu
struct LanguageMenu: View {
    @EnvironmentObject var state: ThunderIDState

    var body: some View {
        ForEach(["de", "en", "fr"], id: \.self) { language in
            Button(LanguageName.own(language)) { state.setLocale(language) }
        }
    }
}
// end snippet

// snippet: ownForm
struct PlainForm: View {
    @ObservedObject var flow: SignInFlow

    var body: some View {
        ForEach(flow.inputs) { input in
            TextField(flow.title(of: input), text: flow.binding(for: input.name))
        }
        ForEach(flow.actions) { action in
            Button(flow.title(of: action)) { flow.submit(actionId: action.id) }
        }
        if let error = flow.error { Text(verbatim: error) }
    }
}
// end snippet
#endif
