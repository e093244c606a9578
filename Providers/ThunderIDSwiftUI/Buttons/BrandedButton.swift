#if canImport(SwiftUI)
import IdentitySwiftUI
import SwiftUI

/// A button for another way to sign in, with the picture of whoever's page it leads to.
///
/// The picture is one of the app's assets with the brand's name, such as `google`, or with the name that the server gives;
/// else the server's, from `https`; else a sign of the system or a letter. Brands have rules for the pictures on such buttons,
/// so add theirs to the app's assets.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BrandedButton: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    private let brand: SignInBrand?
    private let action: FlowAction?
    private let label: String?
    private let isLoading: Bool
    private let onTap: () -> Void

    /// A button of a brand.
    /// - Parameters:
    ///   - brand: whose page it leads to.
    ///   - label: what is written on it; `nil` for “Continue with …” in the chosen language.
    ///   - isLoading: whether it does nothing for now.
    ///   - onTap: what it does.
    public init(_ brand: SignInBrand, label: String? = nil, isLoading: Bool = false, onTap: @escaping () -> Void) {
        (self.brand, action, self.label) = (brand, nil, label)
        (self.isLoading, self.onTap) = (isLoading, onTap)
    }

    /// The button of an action of a flow.
    /// - Parameters:
    ///   - action: the action, which says what is written and shown on it.
    ///   - isLoading: whether it does nothing for now.
    ///   - onTap: what it does.
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

/// A button that signs in with a passkey.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct PasskeyButton: View {
    private let button: BrandedButton

    /// A button.
    /// - Parameters:
    ///   - label: what is written on it; `nil` for “Continue with a passkey” in the chosen language.
    ///   - isLoading: whether it does nothing for now.
    ///   - onTap: what it does.
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
