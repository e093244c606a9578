import IdentitySwiftUI

extension ThunderIDTexts {
    /// Returns the label of a brand's button, such as “Continue with Google” in the chosen language. A label from the server
    /// takes precedence.
    func title(of brand: SignInBrand) -> String {
        switch brand {
        case .google: text(.signInContinueWithGoogle)
        case .github: text(.signInContinueWithGithub)
        case .passkey: text(.signInContinueWithPasskey)
        case .apple, .facebook, .linkedin, .microsoft: text(.signInContinueWith, brand.name ?? "")
        }
    }

    /// Returns the label of an action's button: the server's label, or else the label for its brand, or else the action's
    /// name. An action whose name is only a number gets the label of a submit button.
    func title(of action: FlowAction) -> String {
        action.label ?? action.brand.map { title(of: $0) } ?? (action.isNamed ? action.title : text(.signInSubmit))
    }
}

extension ButtonPicture {
    /// Creates the picture of an action or brand: an asset with the name from the server or of the brand, or else the picture
    /// at the server's address, or else a symbol for Apple and passkeys, or else the brand's first letter.
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
