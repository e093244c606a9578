import Foundation

/// Brands and methods that a button of a flow leads to.
public enum SignInBrand: String, Sendable, Hashable, CaseIterable {
    case google
    case github
    case apple
    case microsoft
    case facebook
    case linkedin
    case passkey

    /// How people know it. A passkey has no name of its own.
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

    /// The brand that one of `texts` names: a word that begins with its name.
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
    /// The brand or method that the action leads to, by its icon, its reference and its label; `nil` for a way on
    /// within the flow, and for one that names nobody known.
    public var brand: SignInBrand? {
        guard isTrigger else { return nil }
        return SignInBrand(namedIn: [icon, id, label].compactMap { $0 })
    }

    /// Whether it starts something else than the next step, such as another way to sign in.
    public var isTrigger: Bool { eventType?.uppercased() == "TRIGGER" }

    /// Address of the picture on it; `nil` without one that is loaded. Only pictures at `https` are.
    public var iconAddress: URL? { icon.flatMap { URL(pictureAt: $0) } }

    /// The name of the picture on it among the app's own: that of the file that the server names, without its folder and
    /// its ending.
    public var iconName: String? {
        guard let icon, icon.utf8.count <= LogoText.limit, !icon.contains("://") else { return nil }
        let file = icon.split(separator: "/").last ?? ""
        let name = file.prefix { $0 != "." }
        return name.isEmpty ? nil : String(name)
    }
}

extension String {
    /// The rest of the text from the beginning of each word, in small letters: a word begins after what is no letter,
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
        // The longest name that is looked for is shorter.
        return starts.map { self[$0...].prefix(16).lowercased() }
    }
}
