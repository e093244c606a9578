import Foundation
import IdentityKit

/// A logo, as ``resolveLogoSpec(_:fallbackSeedText:)`` interprets its text.
public enum ResolvedLogo: Sendable, Hashable {
    /// An emoji to show.
    case emoji(String)
    /// A picture to generate.
    case avatar(AvatarSpec)
    /// Any other text, unchanged. Use ``imageAddress`` to load the picture.
    case url(String)

    /// The address of the picture; `nil` unless it is an `https` address without user name and password, of at most 2,048
    /// bytes.
    public var imageAddress: URL? {
        guard case .url(let text) = self else { return nil }
        return URL(pictureAt: text)
    }
}

/// Interprets the text of a logo: `emoji:` with a character, `avatar:` with the parameters of ``AvatarSpec``, or an address.
///
/// For a text of more than 2,048 bytes, or `emoji:` without a character, the result is the generated picture for
/// `fallbackSeedText`.
/// - Parameters:
///   - spec: the text, as the server keeps it.
///   - fallbackSeedText: the text for a generated picture without content, such as the name of an app.
public func resolveLogoSpec(_ spec: String, fallbackSeedText: String = "") -> ResolvedLogo {
    guard spec.utf8.count <= LogoText.limit else {
        return .avatar(AvatarSpec(parameters: "", seedText: fallbackSeedText))
    }
    if spec.hasPrefix(LogoText.emoji) {
        // Only the first character is used, because a picture has no room for more.
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
    /// The greatest length of a text in bytes, which suffices for the usual addresses of pictures.
    static let limit = 2048
}

extension URL {
    /// Creates an address from which a picture may be loaded. `nil` unless the text has at most ``LogoText/limit`` bytes, the
    /// scheme `https` and a host, and neither user name nor password.
    init?(pictureAt text: String) {
        guard text.utf8.count <= LogoText.limit, let url = URL(string: text), url.scheme?.lowercased() == "https",
            url.host?.isEmpty == false, url.user == nil, url.password == nil
        else { return nil }
        self = url
    }
}

extension ResolvedLogo: Reticent {
    /// Shows the emoji, the picture to generate, or ``imageAddress`` without its query.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .emoji(let glyph): ["emoji": glyph]
        case .avatar(let spec): ["avatar": spec]
        case .url: ["url": imageAddress?.addressAlone as Any]
        }
    }
}
