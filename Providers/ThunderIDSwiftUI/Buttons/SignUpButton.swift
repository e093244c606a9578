#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button that opens the app's registration, such as a sheet with ``SignUp``.
///
/// The button requires `thunderIDProvider(config:)` on a view above it.
public struct SignUpButton: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let onTap: (() -> Void)?

    /// Creates a button with the label “Sign up” in the chosen language.
    /// - Parameter onTap: called when the button is pressed; with `nil`, the button does nothing.
    public init(onTap: (() -> Void)? = nil) {
        self.onTap = onTap
    }

    public var body: some View {
        BaseSignUpButton(label: i18n.texts.text(.signUpButton)) { onTap?() }
    }
}

/// A button for an app's own registration. The button does not require `thunderIDProvider(config:)`.
public struct BaseSignUpButton: View {
    private let button: RankedButton

    /// Creates a button in the style that the app sets.
    /// - Parameters:
    ///   - label: the label, in the language of the app.
    ///   - action: called when the button is pressed.
    public init(label: String, action: @escaping () -> Void) {
        button = RankedButton(label, rank: nil, identifier: ElementIdentifier.signUp, action: action)
    }

    public var body: some View { button }
}

struct SignUpButtonPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut {
            SignUpButton()
            BaseSignUpButton(label: "Sign up") {}
        }
    }
}
#endif
