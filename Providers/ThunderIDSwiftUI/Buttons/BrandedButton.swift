#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button for a sign-in with a brand, such as Google, or with a passkey. The button shows a picture of the brand.
///
/// The picture is an asset of the app with the name from the server, or else with the brand's name, such as `google`.
/// Without such an asset, the button shows the server's picture from an `https` address, or else a system symbol or a
/// letter. Brands have rules for the pictures on buttons, so add the brands' own pictures to the app's assets.
///
/// The button requires `thunderIDProvider(config:)` on a view above it.
public struct BrandedButton: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let brand: SignInBrand?
    private let action: FlowAction?
    private let label: String?
    private let isLoading: Bool
    private let onTap: () -> Void

    /// Creates the button of a brand.
    /// - Parameters:
    ///   - brand: the brand, for the picture and the default label.
    ///   - label: the label; `nil` for “Continue with …” in the chosen language.
    ///   - isLoading: whether the button is disabled, for example during a sign-in.
    ///   - onTap: called when the button is pressed.
    public init(_ brand: SignInBrand, label: String? = nil, isLoading: Bool = false, onTap: @escaping () -> Void) {
        (self.brand, action, self.label) = (brand, nil, label)
        (self.isLoading, self.onTap) = (isLoading, onTap)
    }

    /// Creates the button of a flow's action.
    /// - Parameters:
    ///   - action: the action, for the label and the picture.
    ///   - isLoading: whether the button is disabled, for example while a request is in progress.
    ///   - onTap: called when the button is pressed.
    public init(action: FlowAction, isLoading: Bool = false, onTap: @escaping () -> Void) {
        (brand, self.action, label) = (action.brand, action, nil)
        (self.isLoading, self.onTap) = (isLoading, onTap)
    }

    public var body: some View {
        RankedButton(
            title, picture: ButtonPicture(brand, action: action), rank: .secondary, isEnabled: !isLoading,
            identifier: ElementIdentifier.action(action?.id ?? brand?.rawValue ?? ""), action: onTap)
    }

    private var title: String {
        label ?? action.map { i18n.texts.title(of: $0) } ?? brand.map { i18n.texts.title(of: $0) } ?? ""
    }
}

/// A button with a symbol and label for passkeys. The app starts the sign-in when the button is pressed.
///
/// The button requires `thunderIDProvider(config:)` on a view above it.
public struct PasskeyButton: View {
    private let button: BrandedButton

    /// Creates a button with a custom or the default label.
    /// - Parameters:
    ///   - label: the label; `nil` for “Continue with a passkey” in the chosen language.
    ///   - isLoading: whether the button is disabled, for example during a sign-in.
    ///   - onTap: called when the button is pressed.
    public init(label: String? = nil, isLoading: Bool = false, onTap: @escaping () -> Void) {
        button = BrandedButton(.passkey, label: label, isLoading: isLoading, onTap: onTap)
    }

    public var body: some View { button }
}

struct BrandedButtonPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut {
            BrandedButton(.google) {}
            BrandedButton(.apple, label: "Sign in with Apple") {}
            BrandedButton(action: FlowAction(id: "saml", label: "Company account", eventType: "TRIGGER")) {}
            PasskeyButton {}
        }
    }
}
#endif
