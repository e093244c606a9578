#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The beginning that all views have: a client, and the texts in the app's language or the person's.
struct Start {
    let client: IdentityClient
    let texts: ScreenTexts
    /// The names of the providers to show, in order; `nil` for those of the configuration.
    var offered: [String]?

    init(_ client: IdentityClient, _ texts: ScreenTexts?) {
        self.client = client
        self.texts = texts ?? .best(for: Locale.preferredLanguages)
    }

    /// A view that follows who is signed in.
    @MainActor func following(
        @ViewBuilder _ content: @escaping (IdentityState) -> some View
    ) -> some View {
        Following(client, content: content)
    }

    /// A view of the sign-in screen.
    @MainActor func rows(showsTitle: Bool) -> some View {
        BaseSignInView(client) { model in
            SignInRows(model: model, texts: texts, showsTitle: showsTitle, offered: offered)
        }
    }
}

/// Looks who is signed in when it appears, and draws again after every change.
private struct Following<Content: View>: View {
    @StateObject private var session: IdentityState
    private let content: (IdentityState) -> Content

    init(_ client: IdentityClient, content: @escaping (IdentityState) -> Content) {
        _session = StateObject(wrappedValue: IdentityState(client))
        self.content = content
    }

    var body: some View {
        // The stack is there when nothing is in it, so that the look begins.
        VStack(alignment: .leading, spacing: 8) { content(session) }.task { await session.refresh() }
    }
}
#endif
