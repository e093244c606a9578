#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// Leads to a registration of the app's own, such as a sheet with ``SignUp``.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignUpButton: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let onTap: (() -> Void)?

    /// A button that says “Sign up” in the chosen language.
    /// - Parameter onTap: what it does.
    public init(onTap: (() -> Void)? = nil) {
        self.onTap = onTap
    }

    public var body: some View {
        BaseSignUpButton(label: i18n.texts.text(.signUpButton)) { onTap?() }
    }
}

/// A button for a registration of the app's own, which needs nothing above it.
public struct BaseSignUpButton: View {
    private let button: RankedButton

    /// A button.
    /// - Parameters:
    ///   - label: what is written on it.
    ///   - action: what it does.
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
