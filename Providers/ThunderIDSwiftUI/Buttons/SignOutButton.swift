#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button that signs out, both here and at the server.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignOutButton<Title: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let onSignOutComplete: (() -> Void)?
    private let title: () -> Title

    private init(onSignOutComplete: (() -> Void)?, title: @escaping () -> Title) {
        self.onSignOutComplete = onSignOutComplete
        self.title = title
    }

    /// Creates a button.
    /// - Parameter title: the label.
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
    /// - Parameter onSignOutComplete: called after the sign-out.
    public init(onSignOutComplete: (() -> Void)? = nil) {
        self.init(onSignOutComplete: onSignOutComplete) { ThunderIDText(.signOutButton) }
    }
}

/// A button for an app's own sign-out, which needs no `thunderIDProvider(config:)`.
public struct BaseSignOutButton: View {
    private let button: RankedButton

    /// Creates a button.
    /// - Parameters:
    ///   - label: the label.
    ///   - isLoading: whether it is disabled and shows progress.
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
