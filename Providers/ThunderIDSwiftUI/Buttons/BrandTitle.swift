import IdentitySwiftUI

extension ThunderIDTexts {
    /// Returns the label of a brand's button in the chosen language, such as “Continue with Google”, for a button without a
    /// label from the server or the app.
    func title(of brand: SignInBrand) -> String {
        switch brand {
        case .google: text(.signInContinueWithGoogle)
        case .github: text(.signInContinueWithGithub)
        case .passkey: text(.signInContinueWithPasskey)
        case .apple, .facebook, .linkedin, .microsoft: text(.signInContinueWith, brand.name ?? "")
        }
    }

    /// Returns the label of an action's button: the server's label, or else the label for its brand, or else the action's name.
    /// A name that is only a number is replaced by the label of a submit button.
    func title(of action: FlowAction) -> String {
        action.label ?? action.brand.map { title(of: $0) } ?? (action.isNamed ? action.title : text(.signInSubmit))
    }
}

extension ButtonPicture {
    /// Creates the picture of an action or brand: an asset with the name that the server sent, or else with the brand's
    /// name. Without an asset, the picture comes from the address that the server sent. Without an address, the picture
    /// is a symbol for Apple and passkeys, and the brand's first letter for other brands. An action without a brand
    /// then has no picture.
    init(_ brand: SignInBrand?, action: FlowAction? = nil) {
        let symbol: Symbol? =
            switch brand {
            case .apple: .apple
            case .passkey: .passkey
            default: nil
            }
        self.init(
            names: [action?.iconName, brand?.rawValue].compactMap { $0 }, address: action?.iconAddress, symbol: symbol,
            letter: brand?.name?.prefix(1).uppercased())
    }
}
