#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// Leads to a sign-in: to the one of the app, or else to the server's page in the system's browser sheet.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignInButton<Title: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let identifier: String
    private let onTap: (() -> Void)?
    private let title: () -> Title

    private init(_ identifier: String?, onTap: (() -> Void)?, title: @escaping () -> Title) {
        self.identifier = identifier ?? ElementIdentifier.signIn
        self.onTap = onTap
        self.title = title
    }

    /// A button that signs in on the server's page.
    /// - Parameter title: what is written on it.
    public init(@ViewBuilder title: @escaping () -> Title) {
        self.init(nil, onTap: nil, title: title)
    }

    public var body: some View {
        Button {
            guard let onTap else { return signIn() }
            onTap()
        } label: {
            title()
        }
        .disabled(!state.isReady || state.isLoading)
        .accessibilityIdentifier(identifier)
    }

    private func signIn() {
        Task { await state.signIn() }
    }
}

extension SignInButton where Title == ThunderIDText {
    /// A button that says “Sign in” in the chosen language.
    /// - Parameters:
    ///   - accessibilityIdentifier: what tests find it by; `nil` for ``ElementIdentifier/signIn``.
    ///   - onTap: what it does; `nil` to sign in on the server's page.
    public init(accessibilityIdentifier: String? = nil, onTap: (() -> Void)? = nil) {
        self.init(accessibilityIdentifier, onTap: onTap) { ThunderIDText(.signInButton) }
    }
}

/// A button for a sign-in of the app's own, which needs nothing above it.
public struct BaseSignInButton: View {
    private let button: RankedButton

    /// A button.
    /// - Parameters:
    ///   - label: what is written on it.
    ///   - isLoading: whether it does nothing for now.
    ///   - accessibilityIdentifier: what tests find it by; `nil` for ``ElementIdentifier/signIn``.
    ///   - action: what it does.
    public init(
        label: String, isLoading: Bool = false, accessibilityIdentifier: String? = nil, action: @escaping () -> Void
    ) {
        button = RankedButton(
            label, rank: nil, isEnabled: !isLoading, identifier: accessibilityIdentifier ?? ElementIdentifier.signIn,
            action: action)
    }

    public var body: some View { button }
}

struct SignInButtonPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut {
            SignInButton()
            SignInButton { Text(verbatim: Preview.text) }
            BaseSignInButton(label: "Sign in", isLoading: true) {}
        }
    }
}
#endif
