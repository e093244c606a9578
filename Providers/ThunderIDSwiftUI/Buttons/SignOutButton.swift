#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// Signs out, here and at the server.
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

    /// A button.
    /// - Parameter title: what is written on it.
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
    /// A button that says “Sign out” in the chosen language.
    /// - Parameter onSignOutComplete: called when nobody is signed in any more.
    public init(onSignOutComplete: (() -> Void)? = nil) {
        self.init(onSignOutComplete: onSignOutComplete) { ThunderIDText(.signOutButton) }
    }
}

/// A button for a sign-out of the app's own, which needs nothing above it.
public struct BaseSignOutButton: View {
    private let button: RankedButton

    /// A button.
    /// - Parameters:
    ///   - label: what is written on it.
    ///   - isLoading: whether it does nothing for now.
    ///   - action: what it does.
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
