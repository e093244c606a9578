import Foundation

/// A vendor or sign-in method whose button has a style of its own.
public enum SignInBrand: String, Sendable, Hashable, CaseIterable {
    case google
    case github
    case apple
    case microsoft
    case facebook
    case linkedin
    case passkey

    /// The vendor's name; `nil` for a passkey, which has no vendor.
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

    /// Finds the first brand, in the order of the cases, whose name is the beginning of a word in `texts`; `nil` if there is
    /// none. A word that begins with `webauthn` means a passkey, too.
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
    /// The brand to which the action leads, found in ``icon``, ``id`` and ``label``; `nil` if ``isTrigger`` is `false`, and
    /// for an unknown brand.
    public var brand: SignInBrand? {
        guard isTrigger else { return nil }
        return SignInBrand(namedIn: [icon, id, label].compactMap { $0 })
    }

    /// Whether the action has the event type `TRIGGER`. Such an action does not lead to the next step, but for example to
    /// another sign-in method.
    public var isTrigger: Bool { eventType?.uppercased() == "TRIGGER" }

    /// The address of the button's picture; `nil` unless ``icon`` is an `https` address without user name and password.
    public var iconAddress: URL? { icon.flatMap { URL(pictureAt: $0) } }

    /// The name of the button's picture in the app: the file name in ``icon`` without folder and extension. `nil` if
    /// ``icon`` has no file name, is a complete address, or has more than 2,048 bytes.
    public var iconName: String? {
        guard let icon, icon.utf8.count <= LogoText.limit, !icon.contains("://") else { return nil }
        let file = icon.split(separator: "/").last ?? ""
        let name = file.prefix { $0 != "." }
        return name.isEmpty ? nil : String(name)
    }
}

extension String {
    /// The first 16 characters from the start of each word, in lower case. A word starts after a character that is not a
    /// letter, and at a capital letter after a small one. Words after the first 2,048 characters are ignored.
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
