import IdentitySwiftUI

extension ThunderIDTexts {
    /// The label of a brand's button, if the server has none.
    func title(of brand: SignInBrand) -> String {
        switch brand {
        case .google: text(.signInContinueWithGoogle)
        case .github: text(.signInContinueWithGithub)
        case .passkey: text(.signInContinueWithPasskey)
        case .apple, .facebook, .linkedin, .microsoft: text(.signInContinueWith, brand.name ?? "")
        }
    }

    /// The label of an action's button: the server's, or else that of its brand, or its name.
    func title(of action: FlowAction) -> String {
        action.label ?? action.brand.map { title(of: $0) } ?? (action.isNamed ? action.title : text(.signInSubmit))
    }
}

extension ButtonPicture {
    /// Creates the picture named by the server, or else that of the brand.
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
