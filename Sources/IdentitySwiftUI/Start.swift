#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The arguments that the ready-made views of this module have in common: a client, and the texts to show.
struct Start {
    let client: IdentityClient
    let texts: ScreenTexts
    /// Names of the providers to offer, in order; `nil` for all providers of the configuration.
    var offered: [String]?

    init(_ client: IdentityClient, _ texts: ScreenTexts?) {
        self.client = client
        self.texts = texts ?? .best(for: Locale.preferredLanguages)
    }

    /// Returns a view that is redrawn whenever the client's ``/IdentityKit/IdentityState`` changes, such as after a sign-in.
    @MainActor func following(
        @ViewBuilder _ content: @escaping (IdentityState) -> some View
    ) -> some View {
        // A view keeps its first state object, so another client needs another view.
        Following(client, content: content).id(ObjectIdentifier(client))
    }

    /// Returns a view that follows the client and shows the rows of the sign-in screen.
    @MainActor func rows(showsTitle: Bool) -> some View {
        BaseSignInView(client) { model in
            SignInRows(model: model, texts: texts, showsTitle: showsTitle, offered: offered)
        }
    }
}

/// A view that looks up the signed-in account when the view appears, and is redrawn after every change of the state.
private struct Following<Content: View>: View {
    @StateObject private var session: IdentityState
    private let content: (IdentityState) -> Content

    init(_ client: IdentityClient, content: @escaping (IdentityState) -> Content) {
        _session = StateObject(wrappedValue: IdentityState(client))
        self.content = content
    }

    var body: some View {
        // Use a stack, because a view without content would not run the task.
        VStack(alignment: .leading, spacing: 8) { content(session) }.task { await session.refresh() }
    }
}
#endif
