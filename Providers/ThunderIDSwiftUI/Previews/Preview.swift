#if canImport(SwiftUI)
import SwiftUI

enum Preview {
    /// A placeholder for the app's texts.
    static let text = "…"

    static let user = User(
        sub: "ada", username: "ada", email: "ada@example.com", displayName: "Ada Lovelace",
        claims: ["given_name": AnyCodable("Ada"), "family_name": AnyCodable("Lovelace")])

    /// Previews a view with a user and without one.
    @MainActor @ViewBuilder static func both<Content: View>(
        @ViewBuilder _ content: @escaping () -> Content
    ) -> some View {
        signedIn(content)
        signedOut(content)
    }

    @MainActor static func signedIn<Content: View>(@ViewBuilder _ content: () -> Content) -> some View {
        content().modifier(PreviewState(user: user))
    }

    @MainActor static func signedOut<Content: View>(@ViewBuilder _ content: () -> Content) -> some View {
        content().modifier(PreviewState(user: nil))
    }
}

/// Provides a preview with a state that sends no requests.
private struct PreviewState: ViewModifier {
    @StateObject private var state: ThunderIDState

    init(user: User?) {
        _state = StateObject(wrappedValue: ThunderIDState(showing: user))
    }

    func body(content: Content) -> some View {
        content.environmentObject(state).environmentObject(state.i18n).padding()
    }
}
#endif
