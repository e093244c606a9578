#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button for an app's own registration, such as a sheet with ``SignUp``.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignUpButton: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let onTap: (() -> Void)?

    /// Creates a button with the label “Sign up” in the chosen language.
    /// - Parameter onTap: called when the button is pressed.
    public init(onTap: (() -> Void)? = nil) {
        self.onTap = onTap
    }

    public var body: some View {
        BaseSignUpButton(label: i18n.texts.text(.signUpButton)) { onTap?() }
    }
}

/// A button for an app's own registration, which needs no `thunderIDProvider(config:)`.
public struct BaseSignUpButton: View {
    private let button: RankedButton

    /// Creates a button.
    /// - Parameters:
    ///   - label: the label.
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
