#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The common arguments of all views: a client, and the texts in the language of the app or the person.
struct Start {
    let client: IdentityClient
    let texts: ScreenTexts
    /// Names of the providers to show, in order; `nil` for those of the configuration.
    var offered: [String]?

    init(_ client: IdentityClient, _ texts: ScreenTexts?) {
        self.client = client
        self.texts = texts ?? .best(for: Locale.preferredLanguages)
    }

    /// A view that is redrawn when another account signs in.
    @MainActor func following(
        @ViewBuilder _ content: @escaping (IdentityState) -> some View
    ) -> some View {
        Following(client, content: content)
    }

    /// A view with the rows of the sign-in screen.
    @MainActor func rows(showsTitle: Bool) -> some View {
        BaseSignInView(client) { model in
            SignInRows(model: model, texts: texts, showsTitle: showsTitle, offered: offered)
        }
    }
}

/// Looks up who is signed in when it appears, and redraws after every change.
private struct Following<Content: View>: View {
    @StateObject private var session: IdentityState
    private let content: (IdentityState) -> Content

    init(_ client: IdentityClient, content: @escaping (IdentityState) -> Content) {
        _session = StateObject(wrappedValue: IdentityState(client))
        self.content = content
    }

    var body: some View {
        // A stack exists even without content, so that its task runs.
        VStack(alignment: .leading, spacing: 8) { content(session) }.task { await session.refresh() }
    }
}
#endif
