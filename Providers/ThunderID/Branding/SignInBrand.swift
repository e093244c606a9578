import Foundation

/// Vendors and sign-in methods that have a button of their own style.
public enum SignInBrand: String, Sendable, Hashable, CaseIterable {
    case google
    case github
    case apple
    case microsoft
    case facebook
    case linkedin
    case passkey

    /// The vendor's name; `nil` for a passkey, which has none.
    public var name: String? {
        switch self {
        case .google: "Google"
        case .github: "GitHub"
        case .apple: "Apple"
        case .microsoft: "Microsoft"
        case .facebook: "Facebook"
        case .linkedin: "LinkedIn"
        case .passkey: nil
        }
    }

    /// The brand named in `texts`, by a word that begins with its name.
    init?(namedIn texts: [String]) {
        let words = texts.flatMap { $0.wordStarts }
        let brand = Self.allCases.first { brand in
            words.contains { word in brand.words.contains { word.hasPrefix($0) } }
        }
        guard let brand else { return nil }
        self = brand
    }

    private var words: [String] { self == .passkey ? ["passkey", "webauthn"] : [rawValue] }
}

extension FlowAction {
    /// The brand or method that the action leads to, by its icon, its reference and its label; `nil` for an action
    /// within the flow, and for an unknown brand.
    public var brand: SignInBrand? {
        guard isTrigger else { return nil }
        return SignInBrand(namedIn: [icon, id, label].compactMap { $0 })
    }

    /// Whether the action starts something other than the next step, such as another sign-in method.
    public var isTrigger: Bool { eventType?.uppercased() == "TRIGGER" }

    /// The address of the button's picture; `nil` unless it is an `https` address.
    public var iconAddress: URL? { icon.flatMap { URL(pictureAt: $0) } }

    /// The name of the button's picture among the app's own: the file name from the server, without folder and extension.
    public var iconName: String? {
        guard let icon, icon.utf8.count <= LogoText.limit, !icon.contains("://") else { return nil }
        let file = icon.split(separator: "/").last ?? ""
        let name = file.prefix { $0 != "." }
        return name.isEmpty ? nil : String(name)
    }
}

extension String {
    /// The lowercased rest of the text from the start of each word. Words start after a character that is not a letter,
    /// and at a capital after a small letter.
    fileprivate var wordStarts: [String] {
        var starts: [Index] = []
        var previous: Character?
        for index in indices.prefix(LogoText.limit) {
            let character = self[index]
            let isFirst = previous.map { !$0.isLetter || ($0.isLowercase && character.isUppercase) } ?? true
            if character.isLetter, isFirst { starts.append(index) }
            previous = character
        }
        // Prefixes of 16 characters suffice, because all brand names are shorter.
        return starts.map { self[$0...].prefix(16).lowercased() }
    }
}
