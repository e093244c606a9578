#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button that calls a function of the app to sign in. Without such a function, it signs in on the server's page in a
/// browser.
///
/// The button requires `thunderIDProvider(config:)` on a view above it. It is disabled until
/// ``ThunderIDState/isReady`` is `true`, and during a sign-in or sign-out.
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

    /// Creates a button with a custom label that signs in on the server's page.
    /// - Parameter title: draws the label.
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
    /// Creates a button with the label “Sign in” in the chosen language.
    /// - Parameters:
    ///   - accessibilityIdentifier: the accessibility identifier, for tests; `nil` for ``ElementIdentifier/signIn``.
    ///   - onTap: called when the button is pressed; `nil` to sign in on the server's page.
    public init(accessibilityIdentifier: String? = nil, onTap: (() -> Void)? = nil) {
        self.init(accessibilityIdentifier, onTap: onTap) { ThunderIDText(.signInButton) }
    }
}

/// A button for an app's own sign-in. The button does not require `thunderIDProvider(config:)`.
public struct BaseSignInButton: View {
    private let button: RankedButton

    /// Creates a button in the style that the app sets.
    /// - Parameters:
    ///   - label: the label, in the language of the app.
    ///   - isLoading: whether the button is disabled, for example during a sign-in.
    ///   - accessibilityIdentifier: the accessibility identifier, for tests; `nil` for ``ElementIdentifier/signIn``.
    ///   - action: called when the button is pressed.
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
