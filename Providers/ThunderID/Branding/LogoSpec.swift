import Foundation
import IdentityKit

/// The meaning of a logo's text.
public enum ResolvedLogo: Sendable, Hashable {
    /// A character to show.
    case emoji(String)
    /// A picture to generate.
    case avatar(AvatarSpec)
    /// Anything else, as it was written. ``imageAddress`` says whether it may be loaded.
    case url(String)

    /// Address of the picture; `nil` for one that is not loaded. Only pictures at `https` are.
    public var imageAddress: URL? {
        guard case .url(let text) = self else { return nil }
        return URL(pictureAt: text)
    }
}

/// Says what the text of a logo stands for: `emoji:` and a character, `avatar:` and the parameters of ``AvatarSpec``, or an
/// address.
///
/// A text that is longer than any of these, or an emoji without a character, stands for the generated picture of
/// `fallbackSeedText`, so that there is always something to show.
/// - Parameters:
///   - spec: the text, as the server keeps it.
///   - fallbackSeedText: what a generated picture without content is made from, such as the name of an app.
public func resolveLogoSpec(_ spec: String, fallbackSeedText: String = "") -> ResolvedLogo {
    guard spec.utf8.count <= LogoText.limit else {
        return .avatar(AvatarSpec(parameters: "", seedText: fallbackSeedText))
    }
    if spec.hasPrefix(LogoText.emoji) {
        // More than one character would be a text, for which a picture has no room.
        let glyph = spec.dropFirst(LogoText.emoji.count).first { !$0.isWhitespace }
        return glyph.map { .emoji(String($0)) } ?? .avatar(AvatarSpec(parameters: "", seedText: fallbackSeedText))
    }
    if spec.hasPrefix(LogoText.avatar) {
        return .avatar(AvatarSpec(parameters: spec.dropFirst(LogoText.avatar.count), seedText: fallbackSeedText))
    }
    return .url(spec)
}

enum LogoText {
    static let emoji = "emoji:"
    static let avatar = "avatar:"
    /// More than the longest address that servers and browsers agree on.
    static let limit = 2048
}

extension URL {
    /// The address of a picture that may be loaded: at `https`, and with nobody's name and password in it.
    init?(pictureAt text: String) {
        guard text.utf8.count <= LogoText.limit, let url = URL(string: text), url.scheme?.lowercased() == "https",
            url.host?.isEmpty == false, url.user == nil, url.password == nil
        else { return nil }
        self = url
    }
}

extension ResolvedLogo: CustomReflectable {
    /// Shows of an address no query.
    public var customMirror: Mirror {
        switch self {
        case .emoji(let glyph): Mirror(self, showing: ["emoji": glyph])
        case .avatar(let spec): Mirror(self, showing: ["avatar": spec])
        case .url: Mirror(self, showing: ["url": imageAddress?.addressAlone as Any])
        }
    }
}
