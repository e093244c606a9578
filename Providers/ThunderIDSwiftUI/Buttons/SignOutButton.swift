#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button that ends the session in the app and at the server.
///
/// The button requires `thunderIDProvider(config:)` on a view above it. It is disabled until
/// ``ThunderIDState/isReady`` is `true`, and during a sign-in or sign-out.
public struct SignOutButton<Title: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let onSignOutComplete: (() -> Void)?
    private let title: () -> Title

    private init(onSignOutComplete: (() -> Void)?, title: @escaping () -> Title) {
        self.onSignOutComplete = onSignOutComplete
        self.title = title
    }

    /// Creates a button with a custom label.
    /// - Parameter title: draws the label.
    public init(@ViewBuilder title: @escaping () -> Title) {
        self.init(onSignOutComplete: nil, title: title)
    }

    public var body: some View {
        Button(role: .destructive) {
            Task { await state.signOut(then: onSignOutComplete) }
        } label: {
            title()
        }
        .disabled(!state.isReady || state.isLoading)
        .accessibilityIdentifier(ElementIdentifier.signOut)
    }
}

extension SignOutButton where Title == ThunderIDText {
    /// Creates a button with the label “Sign out” in the chosen language.
    /// - Parameter onSignOutComplete: called when the session has ended in the app, possibly before it has ended at the
    ///   server. Not called if the session could not be ended in the app.
    public init(onSignOutComplete: (() -> Void)? = nil) {
        self.init(onSignOutComplete: onSignOutComplete) { ThunderIDText(.signOutButton) }
    }
}

/// A button for an app's own sign-out. The button does not require `thunderIDProvider(config:)`.
public struct BaseSignOutButton: View {
    private let button: RankedButton

    /// Creates a button in the style that the app sets.
    /// - Parameters:
    ///   - label: the label, in the language of the app.
    ///   - isLoading: whether the button is disabled, for example during a sign-out.
    ///   - action: called when the button is pressed.
    public init(label: String, isLoading: Bool = false, action: @escaping () -> Void) {
        button = RankedButton(
            label, rank: nil, role: .destructive, isEnabled: !isLoading, identifier: ElementIdentifier.signOut,
            action: action)
    }

    public var body: some View { button }
}

struct SignOutButtonPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedIn {
            SignOutButton()
            SignOutButton { Text(verbatim: Preview.text) }
            BaseSignOutButton(label: "Sign out", isLoading: true) {}
        }
    }
}
#endif
