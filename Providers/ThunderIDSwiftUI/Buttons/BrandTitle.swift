import Foundation

extension ThunderIDTexts {
    /// What to write on the button of a brand where the server names nothing.
    func title(of brand: SignInBrand) -> String {
        switch brand {
        case .google: text(.signInContinueWithGoogle)
        case .github: text(.signInContinueWithGithub)
        case .passkey: text(.signInContinueWithPasskey)
        case .apple, .facebook, .linkedin, .microsoft: text(.signInContinueWith, brand.name ?? "")
        }
    }

    /// What to write on the button of an action: the server's words, or those for its brand, or its name.
    func title(of action: FlowAction) -> String {
        action.label ?? action.brand.map { title(of: $0) } ?? (action.isNamed ? action.title : text(.signInSubmit))
    }
}

/// The picture on a button: that of the app, or the server's, or a sign of our own.
struct ButtonPicture: Equatable {
    /// The names that the app may have a picture under, the best first.
    let names: [String]
    let address: URL?
    /// A symbol of the system; `nil` for a letter.
    let symbol: String?
    let letter: String?

    init(_ brand: SignInBrand?, action: FlowAction? = nil) {
        names = [action?.iconName, brand?.rawValue].compactMap { $0 }
        address = action?.iconAddress
        symbol =
            switch brand {
            case .apple: "apple.logo"
            case .passkey: "person.badge.key.fill"
            default: nil
            }
        letter = symbol == nil ? brand?.name?.prefix(1).uppercased() : nil
    }
}
